// GLSL of the mirror of water over land: what is above its level, drawn upside down, and how the water reads it.
#pragma once

// clang-format off

// Land in the mirror: the mesh of the ground, without what lies below water.
static const char glsl_mirror_ground_vertex[] =
    "in vec3 a_core; // place in the plan, 0 to 1\n"
    "out vec3 v_pos;\n"
    "invariant gl_Position; // two passes\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec2 p = basin.xy + a_core.xz * basin.zw;\n"
    "    v_pos = vec3(p.x, levels.x + textureLod(u_ground, a_core.xz, 0.0).x, p.y);\n"
    "    gl_Position = mirror_view_proj * vec4(v_pos, 1.0);\n"
    "}\n";

// First its depth, then, where it is seen, its look: with a discard in it, a shader would run for hidden pixels, too.
static const char glsl_mirror_ground_fragment[] =
    "in vec3 v_pos;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "#ifdef DEPTH\n"
    "void main()\n"
    "{\n"
    "    float deep = texture(u_surface, over_plan(v_pos.xz)).w;\n"
    "    if (deep > 0.5 * coast.x || v_pos.y < open_side.y - open_side.z) discard;\n"
    "    o_color = vec4(0.0);\n"
    "}\n"
    "#else\n"
    "layout(location = 1) out vec4 o_distance;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec2 uv = over_plan(v_pos.xz);\n"
    "    vec4 g = texture(u_ground, uv), shade = texture(u_shade, uv);\n"
    "    Ground l = ground_look(v_pos.xz, v_pos.y, g, shade.z, 0.0);\n"
    "    vec3 n = normalize(vec3(-l.slope.x, 1.0, -l.slope.y));\n"
    "    vec3 albedo = l.albedo * mix(vec3(1.0), vec3(0.50, 0.52, 0.55), smoothstep(0.0, 0.9, shade.w));\n"
    "    float lit = past_land(shade.xy, v_pos.y) * max(dot(n, sun.xyz), 0.0);\n"
    "    vec3 around = mix(ground_color.rgb, sky_color.rgb, 0.5 + 0.5 * n.y) * g.w;\n"
    "    o_color = vec4(hazy(albedo * (sun_color.rgb * lit + around), v_pos), 0.0);\n"
    "    o_distance = vec4(-mirror_distance(v_pos));\n"
    "}\n"
    "#endif\n";

// Fills the depth of the mirror where no water that reads it is near in the picture.
static const char glsl_mirror_mask_fragment[] =
    "in vec2 v_uv;\n"
    "uniform mat4 u_model; // from the screen to the world\n"
    "uniform sampler2D u_scene_depth;\n"
    "uniform sampler2D u_water_depth;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    ivec2 size = textureSize(u_water_depth, 0) - 1, at = ivec2(v_uv * vec2(size + 1));\n"
    "    int reach = max(size.x / 64, 2);\n"
    "    float far = 1e9;\n"
    "    for (int k = -1; k <= 1; ++k)\n"
    "        for (int i = -1; i <= 1; ++i) {\n"
    "            ivec2 q = clamp(at + ivec2(i, k) * reach, ivec2(0), size);\n"
    "            float z = texelFetch(u_water_depth, q, 0).r;\n"
    "            vec3 p = seen_at(u_model, (vec2(q) + 0.5) / vec2(size + 1), z);\n"
    "            if (z < 1.0 && z <= texelFetch(u_scene_depth, q, 0).r) far = min(far, abs(p.y - open_side.y));\n"
    "        }\n"
    "    if (far < open_side.z) discard;\n"
    "    gl_FragDepth = 0.0;\n"
    "    o_color = vec4(0.0);\n"
    "}\n";

// How far from the mirrored eye, and so how long the way is from the eye over calm water.
static const char glsl_mirror_distance[] =
    "float mirror_distance(vec3 p)\n"
    "{\n"
    "    return distance(eye.xyz, vec3(p.x, 2.0 * open_side.y - p.y, p.z));\n"
    "}\n";

static const char glsl_mirror_lookup[] =
    "#ifdef PLANAR\n"
    "uniform sampler2D u_mirror;        // a: what shines through\n"
    "uniform sampler2D u_mirror_height; // distance from the mirrored eye, of land less than 0; 0: nothing\n"
    "\n"
    "// Water far from the level of the mirror is not believed.\n"
    "float planar_share(vec3 p) { return 1.0 - smoothstep(0.5 * open_side.z, open_side.z, abs(p.y - open_side.y)); }\n"
    "\n"
    "struct Planar { vec4 light; float distance; bool is_land_near; };\n"
    "\n"
    "vec2 on_mirror(vec3 p)\n"
    "{\n"
    "    vec4 c = mirror_view_proj * vec4(p, 1.0);\n"
    "    return folded(c.xy / max(c.w, 1e-4) * 0.5 + 0.5);\n"
    "}\n"
    "\n"
    "float distance_at(vec2 c)\n"
    "{\n"
    "    ivec2 size = textureSize(u_mirror_height, 0);\n"
    "    return texelFetch(u_mirror_height, min(ivec2(c * vec2(size)), size - 1), 0).r;\n"
    "}\n"
    "\n"
    "// Calm water shows the same for all t, and waves not far from it: so a few steps will do.\n"
    "Planar mirror_at(vec3 p, vec3 r)\n"
    "{\n"
    "    float size = max(basin.z, basin.w), t = 0.00625 * size, slack = 0.004 * size + 2.0 * abs(p.y - open_side.y);\n"
    "    float here = distance(p, eye.xyz), land = 0.0, d, way;\n"
    "    vec2 c;\n"
    "    bool is_hit = false;\n"
    "    for (int i = 0; i < 5; ++i) {\n"
    "        t *= 2.4;\n"
    "        c = on_mirror(p + r * t);\n"
    "        d = distance_at(c);\n"
    "        land = max(land, -d);\n"
    "        way = abs(d) - here;\n"
    "        is_hit = d != 0.0 && way > -slack && way < t;\n"
    "        if (is_hit) break;\n"
    "    }\n"
    "    if (is_hit) t = max(way, 0.0), c = on_mirror(p + r * t);\n"
    "    d = distance_at(c);\n"
    "    bool is_before = d != 0.0 && abs(d) - here < 0.5 * t - slack; // nearer than the ray is there: not on it\n"
    "    if (is_before) return Planar(vec4(0.0, 0.0, 0.0, 1.0), 0.0, land > 0.0);\n"
    "    return Planar(texture(u_mirror, c), d, land > 0.0);\n"
    "}\n"
    "#endif\n";

// clang-format on
