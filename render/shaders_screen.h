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
    "    vec3 c = mix(haze_color.rgb, zenith.rgb, pow(up, 0.5));\n"
    "    float near_sun = max(dot(d, sun.xyz), 0.0);\n"
    "    // By day the light around the sun is 0.4 of it, and clouds have its color and that of the sky.\n"
    "    vec3 shine = sun_color.rgb * vec3(0.3636, 0.3216, 0.2636) * heaven.z;\n"
    "    c += shine * (0.35 * pow(near_sun, 6.0) + 0.9 * pow(near_sun, 60.0));\n"
    "    // Two layers of clouds on a plane overhead.\n"
    "    vec2 p = d.xz / (up + 0.12) * 0.10 + eye.w * vec2(0.0011, 0.0006);\n"
    "    float a = texture(u_noise, p).r, b = texture(u_noise, p * 2.7 + 0.4).g;\n"
    "    float density = smoothstep(0.48, 0.78, a * 0.72 + b * 0.30);\n"
    "    float bright = texture(u_noise, p + sun.xz * 0.012).r;\n"
    "    float shade = smoothstep(0.45, 0.75, bright);\n"
    "    vec3 white = (sun_color.rgb * 0.43 + sky_color.rgb * 0.90) * vec3(1.102, 1.049, 0.993);\n"
    "    vec3 gray = (sun_color.rgb * 0.12 + sky_color.rgb * 1.16) * vec3(1.071, 0.987, 0.936);\n"
    "    vec3 cloud = mix(white, gray, shade);\n"
    "    c = mix(c, cloud, density * 0.9 * zenith.w * smoothstep(0.02, 0.30, up));\n"
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
    "    o_color = vec4(haze_color.w < 0.5 ? sky_behind(d, 0.0, 0.10) : haze_color.rgb, 1.0);\n"
    "}\n";

// Fog over what is solid: of the light, exp(-fog * distance) gets through. It is a layer 100 m high, so that there is
// less of it before the sky overhead than before the horizon.
static const char glsl_fog_fragment[] =
    "in vec2 v_uv;\n"
    "uniform mat4 u_model; // from the screen to the world\n"
    "uniform vec4 u_param; // 1/m\n"
    "uniform sampler2D u_scene_depth;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main()\n"
    "{\n"
    "    float depth = textureLod(u_scene_depth, v_uv, 0.0).r;\n"
    "    vec4 p = u_model * vec4(vec3(v_uv, depth) * 2.0 - 1.0, 1.0);\n"
    "    vec3 d = p.xyz / p.w - eye.xyz;\n"
    "    float way = length(d), up = d.y / way;\n"
    "    if (depth >= 1.0) way = 1e9;\n"
    "    way = min(way, 100.0 / max(up, 1e-4));\n"
    "    if (depth >= 1.0 && background.w > 0.5) way = 0.0; // there is no air before one color\n"
    "    o_color = vec4(haze_color.rgb, 1.0 - exp(-u_param.x * way));\n"
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

// From linear light to what is shown: the only place that does.
static const char glsl_tone[] =
    "// Filmic curve and sRGB in one: a rational function of x and sqrt(x) that follows\n"
    "// x^1.22 / (x^1.22 + 0.62), encoded, within 0.012.\n"
    "vec3 tone(vec3 color)\n"
    "{\n"
    "    float gray = dot(color, vec3(0.25, 0.65, 0.10));\n"
    "    vec3 x = max(mix(vec3(gray), color, 1.10), 0.0) * water_color.w, s = sqrt(x);\n"
    "    return (0.36 * s + 3.91 * x) / (1.0 + 0.436 * s + 3.752 * x);\n"
    "}\n";

static const char glsl_bright_fragment[] =
    "uniform sampler2D u_image;\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "void main() // what is nearly white, at a quarter of the size\n"
    "{\n"
    "    vec3 sum = vec3(0.0);\n"
    "    ivec2 at = 4 * ivec2(gl_FragCoord.xy), most = textureSize(u_image, 0) - 1;\n"
    "    for (int i = 0; i < 4; ++i) {\n"
    "        vec3 c = vec3(0.0);\n"
    "        for (int k = 0; k < 4; ++k) {\n"
    "            ivec2 p = at + ivec2(2 * (i & 1) + (k & 1), 2 * (i >> 1) + (k >> 1));\n"
    "            c += tone(texelFetch(u_image, min(p, most), 0).rgb);\n"
    "        }\n"
    "        c *= 0.25;\n"
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
    "    vec3 c = tone(texelFetch(u_image, ivec2(gl_FragCoord.xy), 0).rgb);\n"
    "    vec3 glow = textureLod(u_glow, v_uv, 0.0).rgb;\n"
    "    vec2 q = v_uv - 0.5;\n"
    "    c = 1.0 - (1.0 - min(c, 1.0)) * (1.0 - 0.8 * glow); // never above white\n"
    "    if (mod(background.w, 2.0) < 0.5) c *= 1.0 - 0.25 * dot(q, q); // one color is the same everywhere\n"
    "    float dither = fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)));\n"
    "    c += (fract(52.9829189 * dither) - 0.5) / 255.0; // against banding\n"
    "    o_color = vec4(c, dot(c, vec3(0.3, 0.59, 0.11))); // alpha: brightness, for smooth.c\n"
    "}\n";

// What smooth.c does on the way to memory, for pictures that stay on the GPU: the same steps in the same
// whole numbers.
static const char glsl_edges_fragment[] =
    "uniform sampler2D u_image; // alpha: brightness\n"
    "layout(location = 0) out vec4 o_color;\n"
    "\n"
    "vec4 pixel(ivec2 p)\n"
    "{\n"
    "    return texelFetch(u_image, clamp(p, ivec2(0), textureSize(u_image, 0) - 1), 0);\n"
    "}\n"
    "\n"
    "int bright(ivec2 p) { return int(pixel(p).a * 255.0 + 0.5); }\n"
    "\n"
    "// How far the edge beside p runs along d, and what the pair differs by at its end.\n"
    "ivec2 edge_end(ivec2 p, ivec2 d, ivec2 beside, int middle, int limit)\n"
    "{\n"
    "    int n = 1, end = 0, most = min(16, 8 + textureSize(u_image, 0).x); // 16, but drivers do not write the loop out\n"
    "    for (; n < most; ++n) {\n"
    "        ivec2 q = p + n * d;\n"
    "        end = bright(q) + bright(q + beside) - middle;\n"
    "        if (end >= limit || end <= -limit) break;\n"
    "    }\n"
    "    return ivec2(n, end);\n"
    "}\n"
    "\n"
    "void main()\n"
    "{\n"
    "    ivec2 p = ivec2(gl_FragCoord.xy), x = ivec2(1, 0), y = ivec2(0, 1);\n"
    "    vec4 here = pixel(p);\n"
    "    o_color = vec4(here.rgb, 1.0);\n"
    "    int m = bright(p), n = bright(p + y), s = bright(p - y), e = bright(p + x), w = bright(p - x);\n"
    "    int hi = max(max(max(n, s), max(e, w)), m), lo = min(min(min(n, s), min(e, w)), m);\n"
    "    if (hi - lo <= max(9, hi / 10)) return;\n"
    "    int ne = bright(p + x + y), nw = bright(p - x + y);\n"
    "    int se = bright(p + x - y), sw = bright(p - x - y);\n"
    "    int level = 2 * abs(n + s - 2 * m) + abs(ne + se - 2 * e) + abs(nw + sw - 2 * w);\n"
    "    int steep = 2 * abs(e + w - 2 * m) + abs(ne + nw - 2 * n) + abs(se + sw - 2 * s);\n"
    "    bool is_level = level >= steep;\n"
    "    int a = is_level ? n : e, b = is_level ? s : w;\n"
    "    int side = abs(b - m) > abs(a - m) ? -1 : 1, other = side > 0 ? a : b;\n"
    "    ivec2 beside = side * (is_level ? y : x), d = is_level ? x : y;\n"
    "    int middle = m + other, limit = max(abs(other - m) / 2, 1);\n"
    "    ivec2 f = edge_end(p, d, beside, middle, limit), g = edge_end(p, -d, beside, middle, limit);\n"
    "    int end = f.x < g.x ? f.y : g.y;\n"
    "    bool is_ours = (end < 0) != (2 * m < middle);\n"
    "    float share = is_ours ? 0.5 - float(min(f.x, g.x)) / float(f.x + g.x) : 0.0;\n"
    "    float mean = float(2 * (n + s + e + w) + ne + nw + se + sw) / 12.0;\n"
    "    float lone = smoothstep(0.0, 1.0, abs(mean - float(m)) / float(max(hi - lo, 1)));\n"
    "    share = max(share, 0.55 * lone * lone);\n"
    "    o_color.rgb = mix(here.rgb, pixel(p + beside).rgb, share);\n"
    "}\n";

// clang-format on
