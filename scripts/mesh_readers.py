# Run inside Blender by scripts/mesh_readers.sh: imports mesh files and says what arrived.
#
#     blender --background --factory-startup --python scripts/mesh_readers.py -- a.obj b.ply c.glb
import sys

import bpy
import numpy

# Debian 12 pairs Blender 3.4 with a numpy that no longer has a name its glTF importer uses.
if "bool" not in vars(numpy):
    numpy.bool = bool


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def operator(name, older, older_name):
    """Newer Blenders have all importers in one place."""
    return getattr(bpy.ops.wm, name) if name in dir(bpy.ops.wm) else getattr(older, older_name)


def load(path):
    """With the defaults of each importer, as someone has them who drops a file in."""
    ending = path.rsplit(".", 1)[-1].lower()
    if ending == "glb":
        bpy.ops.import_scene.gltf(filepath=path)
    elif ending == "ply":
        operator("ply_import", bpy.ops.import_mesh, "ply")(filepath=path)
    else:
        operator("obj_import", bpy.ops.import_scene, "obj")(filepath=path)


def bounds(objects):
    points = [o.matrix_world @ v.co for o in objects for v in o.data.vertices]
    lo = [min(p[i] for p in points) for i in range(3)]
    hi = [max(p[i] for p in points) for i in range(3)]
    return "%.3f %.3f %.3f to %.3f %.3f %.3f" % (*lo, *hi)


def shown(objects):
    return [o.name for o in objects if o.matrix_world.to_scale().length > 1e-6]


def tell(path):
    clear()
    load(path)
    scene = bpy.context.scene
    meshes = [o for o in scene.objects if o.type == "MESH"]
    print("blender: %s: %d objects with meshes" % (path, len(meshes)))
    first = meshes[0]
    mesh = first.data
    own = {"position", "material_index", "sharp_face"} # that every mesh of Blender has
    names = [a.name for a in mesh.attributes if a.name not in own and not a.name.startswith(".")]
    print("    first '%s': %d vertices, %d faces, attributes: %s, materials: %s" %
          (first.name, len(mesh.vertices), len(mesh.polygons), ", ".join(names) or "none",
           ", ".join(m.name for m in mesh.materials if m) or "none"))
    if not bpy.data.actions:
        print("    bounds (z is up here): %s m" % bounds(meshes))
        return
    end = max(a.frame_range[1] for a in bpy.data.actions)
    fps = scene.render.fps
    print("    animation: %.1f frames at %d per second, %.3f s" % (end, fps, end / fps))
    for share in (0.0, 0.25, 0.5, 0.75, 0.99):
        frame = share * end
        scene.frame_set(int(frame), subframe=frame - int(frame))
        print("    at %.3f s it shows: %s" % (frame / fps, ", ".join(shown(meshes)) or "nothing"))


for name in sys.argv[sys.argv.index("--") + 1:]:
    tell(name)
