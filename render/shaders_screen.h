// GLSL of the passes over a whole picture: sky, backdrop, blur, glow.
#pragma once

// clang-format off

static const char glsl_screen_vertex[] =
    "out vec2 v_uv;\n"
    "\n"
    "void main() // one triangle over the whole picture\n"
    "{\n"
    "    v_uv = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);\n"
    "    gl_Position = vec4(v_uv * 2.0 - 1.0, 1.0, 1.0);\n"
    "}\n";

static const char glsl_sky_fragment[] =
    "uniform sampler2D u_noise;\n"
    "in vec2 v_uv;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec2 q = (v_uv - 0.5) * (2.0 * 1.09);\n"
    "    float l = dot(q, q);\n"
    "    vec3 d = vec3(2.0 * q.x, 1.0 - l, 2.0 * q.y) / (1.0 + l);\n"
    "    float up = max(d.y, 0.0);\n"
    "    vec3 zenith = vec3(0.055, 0.235, 0.80);\n"
    "    vec3 c = mix(haze_color.rgb, zenith, pow(up, 0.5));\n"
    "    float near_sun = max(dot(d, sun.xyz), 0.0);\n"
    "    c += vec3(1.0, 0.82, 0.58) * (0.35 * pow(near_sun, 6.0) + 0.9 * pow(near_sun, 60.0));\n"
    "    // Two layers of clouds on a plane overhead.\n"
    "    vec2 p = d.xz / (up + 0.12) * 0.10 + eye.w * vec2(0.0011, 0.0006);\n"
    "    float a = texture(u_noise, p).r, b = texture(u_noise, p * 2.7 + 0.4).g;\n"
    "    float density = smoothstep(0.48, 0.78, a * 0.72 + b * 0.30);\n"
    "    float bright = texture(u_noise, p + sun.xz * 0.012).r;\n"
    "    float shade = smoothstep(0.45, 0.75, bright);\n"
    "    vec3 cloud = mix(vec3(1.7, 1.66, 1.6), vec3(0.85, 0.92, 1.05), shade);\n"
    "    c = mix(c, cloud, density * 0.9 * smoothstep(0.02, 0.30, up));\n"
    "    o_color = vec4(c, 1.0);\n"
    "}\n";

static const char glsl_backdrop_fragment[] =
    "in vec2 v_uv;\n"
    "uniform mat4 u_model; // from the screen to directions\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec4 far = u_model * vec4(v_uv * 2.0 - 1.0, 1.0, 1.0);\n"
    "    vec3 d = normalize(far.xyz / far.w - eye.xyz);\n"
    "    vec3 c = haze_color.rgb;\n"
    "    if (haze_color.w < 0.5) {\n"
    "        c = mix(haze_color.rgb, sky_light(d), smoothstep(0.0, 0.10, d.y));\n"
    "        c += sun_color.rgb * 8.0 * smoothstep(0.99985, 0.99995, dot(d, sun.xyz));\n"
    "    }\n"
    "    o_color = tone(c);\n"
    "}\n";

static const char glsl_blur_fragment[] =
    "uniform sampler2D u_image;\n"
    "uniform vec4 u_param; // two steps, across each other\n"
    "in vec2 v_uv;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec4 sum = texture(u_image, v_uv + u_param.xy) + texture(u_image, v_uv - u_param.xy);\n"
    "    sum += texture(u_image, v_uv + u_param.zw) + texture(u_image, v_uv - u_param.zw);\n"
    "    o_color = 0.25 * sum;\n"
    "}\n";

static const char glsl_bright_fragment[] =
    "uniform sampler2D u_image;\n"
    "uniform vec4 u_param; // step\n"
    "in vec2 v_uv;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main() // what is nearly white, at a quarter of the size\n"
    "{\n"
    "    vec3 sum = vec3(0.0);\n"
    "    for (int i = 0; i < 4; ++i) {\n"
    "        vec2 corner = vec2(float(i & 1), float(i >> 1)) * 2.0 - 1.0;\n"
    "        vec2 at = v_uv + u_param.xy * corner;\n"
    "        vec3 c = texture(u_image, at).rgb;\n"
    "        sum += c * smoothstep(0.90, 1.0, min(min(c.r, c.g), c.b));\n"
    "    }\n"
    "    o_color = vec4(sum * 0.25, 1.0);\n"
    "}\n";

static const char glsl_post_fragment[] =
    "uniform sampler2D u_image;\n"
    "uniform sampler2D u_glow;\n"
    "in vec2 v_uv;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    vec3 c = textureLod(u_image, v_uv, 0.0).rgb;\n"
    "    vec3 glow = textureLod(u_glow, v_uv, 0.0).rgb;\n"
    "    vec2 q = v_uv - 0.5;\n"
    "    c = 1.0 - (1.0 - c) * (1.0 - 0.8 * glow); // never above white\n"
    "    c *= 1.0 - 0.25 * dot(q, q);\n"
    "    o_color = vec4(c, dot(c, vec3(0.3, 0.59, 0.11))); // alpha: brightness, for smooth.c\n"
    "}\n";

// clang-format on
