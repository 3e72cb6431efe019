// GLSL of meshes as surfaces of liquids, of particles as balls, of wires. What the frame block holds:
// shaders_liquid.h.
#pragma once

// clang-format off

// Particles as balls among the solids, with the vertex shader of the liquid's surface.
static const char glsl_ball_fragment[] =
    "in vec3 v_pos;\n"
    "flat in vec4 v_ball;\n"
    "flat in vec4 v_flat;\n"
    "flat in vec4 v_tint;\n"
    "flat in float v_wet;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec3 d = normalize(v_pos - eye.xyz), to = eye.xyz - v_ball.xyz;\n"
    "    float nearest = -dot(to, d);\n"
    "    vec3 o = to + d * nearest;\n"
    "    float root = v_ball.w * v_ball.w - dot(o, o);\n"
    "    if (root < 0.0) discard;\n"
    "    vec3 p = eye.xyz + d * (nearest - sqrt(root));\n"
    "    float z = dot(p - eye.xyz, coast.xyz);\n"
    "    gl_FragDepth = clamp(0.5 + 0.5 * (open_side.x + open_side.y / z), 0.0, 1.0);\n"
    "    vec3 albedo = mix(v_tint.rgb, sqrt(v_tint.rgb), 0.5); // less deep than a body of it\n"
    "    // Normalized, because small balls lose digits. In place of a smooth surface, in mirrors and below water, they are\n"
    "    // matte: else each has a white spot of its own.\n"
    "    float gloss = mixing.w > -1e8 ? 0.0 : 0.6;\n"
    "    o_color = vec4(studio_shade(p, normalize(p - v_ball.xyz), albedo, gloss, 0.8), 1.0);\n"
    "#ifdef SUNKEN\n"
    "    vec3 haze = water_color.rgb * (sky_color.rgb + 0.35 * sun_color.rgb);\n"
    "    o_color = vec4(mix(haze, o_color.rgb, exp(-absorb.rgb * v_wet)), v_wet);\n"
    "#endif\n"
    "}\n";

static const char glsl_mesh_vertex[] =
    "in vec3 a_core;\n"
    "in vec3 a_normal;\n"
    "out vec3 v_pos;\n"
    "out vec3 v_normal;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec3 p = a_core;\n"
    "    if (fog.z > 0.5) { // as flat as the glass that it leans on\n"
    "        vec2 lo = basin.xy, hi = basin.xy + basin.zw, near = vec2(0.7 * flow.z);\n"
    "        p.xz = mix(p.xz, lo, lessThan(p.xz, lo + near));\n"
    "        p.xz = mix(p.xz, hi, greaterThan(p.xz, hi - near));\n"
    "    }\n"
    "    v_pos = p;\n"
    "    v_normal = a_normal;\n"
    "#ifdef LIGHT\n"
    "    gl_Position = vec4((light_proj * vec4(p, 1.0)).xyz, 1.0);\n"
    "#else\n"
    "    gl_Position = view_proj * vec4(p, 1.0);\n"
    "#endif\n"
    "}\n";

// BEHIND: the next surface behind the nearest one, where light enters the liquid again.
static const char glsl_mesh_front_fragment[] =
    "in vec3 v_pos;\n"
    "in vec3 v_normal;\n"
    "uniform sampler2D u_liquid;\n"
    "layout(location = 0) out vec4 o_z;\n"
    "layout(location = 1) out vec4 o_normal;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    float z = dot(v_pos - eye.xyz, coast.xyz);\n"
    "#ifdef BEHIND\n"
    "    float nearest = texelFetch(u_liquid, ivec2(gl_FragCoord.xy), 0).r;\n"
    "    if (!gl_FrontFacing || z < nearest + 0.3 * flow.z) discard;\n"
    "#endif\n"
    "    o_z = vec4(z, 0.0, 0.0, 1.0);\n"
    "    o_normal = vec4(normalize(v_normal) * (gl_FrontFacing ? 1.0 : -1.0), 1.0);\n"
    "}\n";

// What is inside a closed surface along a line of sight: where lines leave it minus where they enter, up to the
// scene; apart up to the second surface (a) and behind it (b). Depths count from one in the middle, which keeps
// half floats exact enough. LIGHT: the sun's lines.
static const char glsl_mesh_thick_fragment[] =
    "in vec3 v_pos;\n"
    "in vec3 v_normal;\n"
    "uniform vec4 u_param; // that depth\n"
    "uniform vec4 u_color; // of the liquid; w: 1 / clarity\n"
    "uniform sampler2D u_scene_depth;\n"
    "uniform sampler2D u_liquid; // the second surface\n"
    "layout(location = 0) out vec4 o_a;\n"
    "layout(location = 1) out vec4 o_b;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    float side = gl_FrontFacing ? -1.0 : 1.0;\n"
    "#ifdef LIGHT\n"
    "    float t = side * (gl_FragCoord.z - u_param.x) / sun.w;\n"
    "    o_a = vec4(absorption(u_color) * t, t);\n"
    "    // The mean depth times the thickness: the integral of the depth.\n"
    "    o_b = vec4(side * 0.5 * (gl_FragCoord.z - u_param.x) * (gl_FragCoord.z + u_param.x) / sun.w);\n"
    "#else\n"
    "    vec2 uv = gl_FragCoord.xy * screen.zw * 2.0;\n"
    "    float depth = textureLod(u_scene_depth, uv, 0.0).r;\n"
    "    float scene = open_side.y / (depth * 2.0 - 1.0 - open_side.x);\n"
    "    float again = texelFetch(u_liquid, min(ivec2(uv * screen.xy), ivec2(screen.xy) - 1), 0).r;\n"
    "    if (again <= 0.0) again = scene;\n"
    "    float z = min(dot(v_pos - eye.xyz, coast.xyz), scene);\n"
    "    // Along the line of sight, which is longer than z beside the middle of the picture.\n"
    "    float slant = length(v_pos - eye.xyz) / max(dot(v_pos - eye.xyz, coast.xyz), 1e-6);\n"
    "    o_a = vec4((min(z, again) - u_param.x) * slant, slant, 0.0, 0.0) * side;\n"
    "    o_b = vec4((max(z, again) - u_param.x) * slant, slant, 0.0, 0.0) * side;\n"
    "#endif\n"
    "}\n";

static const char glsl_wire_vertex[] =
    "in vec3 a_core;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    gl_Position = view_proj * vec4(a_core, 1.0);\n"
    "    gl_Position.z -= 2e-4 * gl_Position.w; // before its own triangles\n"
    "}\n";

static const char glsl_wire_fragment[] =
    "uniform vec4 u_color;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    o_color = u_color;\n"
    "}\n";

// clang-format on
