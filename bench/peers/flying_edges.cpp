// VTK's FlyingEdges3D as a peer of our marching cubes: the same field, with normals, on one thread.
// Built with -DTARN_PEERS=ON only.

#include "bench/peers/flying_edges.h"
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSMPTools.h>

struct PeerFlyingEdges {
    vtkNew<vtkImageData> image;
    vtkNew<vtkFloatArray> values;
    vtkNew<vtkFlyingEdges3D> filter;
};

PeerFlyingEdges* peer_flying_edges_create(const float* value, int n, float dx)
{
    vtkSMPTools::SetBackend("Sequential");
    PeerFlyingEdges* peer = new PeerFlyingEdges;
    vtkIdType nodes = static_cast<vtkIdType>(n) * n * n;
    peer->values->SetArray(const_cast<float*>(value), nodes, 1); // is not freed by VTK
    peer->image->SetDimensions(n, n, n);
    peer->image->SetSpacing(dx, dx, dx);
    peer->image->GetPointData()->SetScalars(peer->values);
    peer->filter->SetInputData(peer->image);
    peer->filter->SetValue(0, 0.0);
    peer->filter->ComputeNormalsOn();
    peer->filter->ComputeGradientsOff();
    peer->filter->ComputeScalarsOff();
    return peer;
}

int peer_flying_edges_run(PeerFlyingEdges* peer)
{
    peer->filter->Modified();
    peer->filter->Update();
    return static_cast<int>(peer->filter->GetOutput()->GetNumberOfPolys());
}

void peer_flying_edges_destroy(PeerFlyingEdges* peer)
{
    delete peer;
}
