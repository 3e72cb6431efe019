// GLSL of the mirror of water over land: what is above its level, drawn upside down, and how the water reads it.
#pragma once

// clang-format off

// Land in the mirror: the mesh of the ground, without what lies below water.
static const char glsl_mirror_ground_vertex[] =
    "in vec3 a_core; // place in the plan, 0 to 1\n"
    "out vec3 v_pos;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec2 p = basin.xy + a_core.xz * basin.zw;\n"
    "    v_pos = vec3(p.x, levels.x + textureLod(u_ground, a_core.xz, 0.0).x, p.y);\n"
    "    gl_Position = mirror_view_proj * vec4(v_pos, 1.0);\n"
    "}\n";

static const char glsl_mirror_ground_fragment[] =
    "in vec3 v_pos;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "layout(location = 1) out vec4 o_distance;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec2 uv = over_plan(v_pos.xz);\n"
    "    float deep = texture(u_surface, uv).w;\n"
    "    if (deep > 0.5 * coast.x || v_pos.y < open_side.y - open_side.z) discard;\n"
    "    vec4 g = texture(u_ground, uv), shade = texture(u_shade, uv);\n"
    "    Ground l = ground_look(v_pos.xz, v_pos.y, g, shade.z, deep);\n"
    "    vec3 n = normalize(vec3(-l.slope.x, 1.0, -l.slope.y));\n"
    "    vec3 albedo = l.albedo * mix(vec3(1.0), vec3(0.50, 0.52, 0.55), smoothstep(0.0, 0.9, shade.w));\n"
    "    float lit = past_land(shade.xy, v_pos.y) * max(dot(n, sun.xyz), 0.0);\n"
    "    vec3 around = mix(ground_color.rgb, sky_color.rgb, 0.5 + 0.5 * n.y) * g.w;\n"
    "    o_color = vec4(hazy(albedo * (sun_color.rgb * lit + around), v_pos), 0.0);\n"
    "    o_distance = vec4(-mirror_distance(v_pos));\n"
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
    "    float here = distance(p, eye.xyz), t = 0.015 * max(basin.z, basin.w), d = 0.0, land = 0.0;\n"
    "    vec2 c = vec2(0.0);\n"
    "    for (int i = 0; i < 5; ++i) {\n"
    "        c = on_mirror(p + r * t);\n"
    "        d = distance_at(c);\n"
    "        land = max(land, -d);\n"
    "        d = abs(d) - here;\n"
    "        if (d > 0.0 && d < t) break;\n"
    "        t *= 2.4;\n"
    "    }\n"
    "    if (d > 0.0) c = on_mirror(p + r * d);\n"
    "    return Planar(texture(u_mirror, c), distance_at(c), land > 0.0);\n"
    "}\n"
    "#endif\n";

// clang-format on
