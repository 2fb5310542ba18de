// The OpenGL values the fake driver understands, from the Khronos registry, under names of their own so that
// a test may include any real GL header next to this one.
#pragma once

namespace passmeter::testing::gl_enum {

// Errors and reset status.
inline constexpr unsigned no_error = 0;
inline constexpr unsigned invalid_enum = 0x0500;
inline constexpr unsigned invalid_value = 0x0501;
inline constexpr unsigned invalid_operation = 0x0502;
inline constexpr unsigned out_of_memory = 0x0505;
inline constexpr unsigned context_lost = 0x0507;
inline constexpr unsigned context_lost_webgl = 0x9242;
inline constexpr unsigned guilty_context_reset = 0x8253;
inline constexpr unsigned innocent_context_reset = 0x8254;
inline constexpr unsigned unknown_context_reset = 0x8255;
inline constexpr unsigned reset_notification_strategy = 0x8256;
inline constexpr unsigned lose_context_on_reset = 0x8252;
inline constexpr unsigned no_reset_notification = 0x8261;

// Strings and context properties.
inline constexpr unsigned vendor = 0x1F00;
inline constexpr unsigned renderer = 0x1F01;
inline constexpr unsigned version = 0x1F02;
inline constexpr unsigned extensions = 0x1F03;
inline constexpr unsigned shading_language_version = 0x8B8C;
inline constexpr unsigned major_version = 0x821B;
inline constexpr unsigned minor_version = 0x821C;
inline constexpr unsigned num_extensions = 0x821D;
inline constexpr unsigned context_flags = 0x821E;
inline constexpr unsigned context_profile_mask = 0x9126;
inline constexpr unsigned gpu_disjoint = 0x8FBB;

// Query targets and parameters.
inline constexpr unsigned time_elapsed = 0x88BF;
inline constexpr unsigned timestamp = 0x8E28;
inline constexpr unsigned samples_passed = 0x8914;
inline constexpr unsigned any_samples_passed = 0x8C2F;
inline constexpr unsigned any_samples_passed_conservative = 0x8D6A;
inline constexpr unsigned primitives_generated = 0x8C87;
inline constexpr unsigned transform_feedback_primitives_written = 0x8C88;
inline constexpr unsigned query_counter_bits = 0x8864;
inline constexpr unsigned current_query = 0x8865;
inline constexpr unsigned query_result = 0x8866;
inline constexpr unsigned query_result_available = 0x8867;
inline constexpr unsigned query_result_no_wait = 0x9194;
inline constexpr unsigned debug_group_stack_depth = 0x826D;
inline constexpr unsigned max_debug_group_stack_depth = 0x826C;
inline constexpr unsigned max_debug_message_length = 0x9143;
inline constexpr unsigned query_target = 0x82EA;

// Sync objects.
inline constexpr unsigned object_type = 0x9112;
inline constexpr unsigned sync_condition = 0x9113;
inline constexpr unsigned sync_status = 0x9114;
inline constexpr unsigned sync_flags = 0x9115;
inline constexpr unsigned sync_fence = 0x9116;
inline constexpr unsigned sync_gpu_commands_complete = 0x9117;
inline constexpr unsigned unsignaled = 0x9118;
inline constexpr unsigned signaled = 0x9119;
inline constexpr unsigned already_signaled = 0x911A;
inline constexpr unsigned timeout_expired = 0x911B;
inline constexpr unsigned condition_satisfied = 0x911C;
inline constexpr unsigned wait_failed = 0x911D;
inline constexpr unsigned sync_flush_commands_bit = 0x1;

// Fixed state.
inline constexpr unsigned color_writemask = 0x0C23;
inline constexpr unsigned depth_writemask = 0x0B72;
inline constexpr unsigned cull_face = 0x0B44;
inline constexpr unsigned depth_test = 0x0B71;
inline constexpr unsigned stencil_test = 0x0B90;
inline constexpr unsigned blend = 0x0BE2;
inline constexpr unsigned scissor_test = 0x0C11;
inline constexpr unsigned polygon_offset_fill = 0x8037;
inline constexpr unsigned rasterizer_discard = 0x8C89;
inline constexpr unsigned pack_row_length = 0x0D02;
inline constexpr unsigned pack_skip_rows = 0x0D03;
inline constexpr unsigned pack_skip_pixels = 0x0D04;
inline constexpr unsigned pack_alignment = 0x0D05;

// Buffers and pixels.
inline constexpr unsigned array_buffer = 0x8892;
inline constexpr unsigned element_array_buffer = 0x8893;
inline constexpr unsigned pixel_pack_buffer = 0x88EB;
inline constexpr unsigned pixel_unpack_buffer = 0x88EC;
inline constexpr unsigned uniform_buffer = 0x8A11;
inline constexpr unsigned transform_feedback_buffer = 0x8C8E;
inline constexpr unsigned copy_read_buffer = 0x8F36;
inline constexpr unsigned copy_write_buffer = 0x8F37;
inline constexpr unsigned draw_indirect_buffer = 0x8F3F;
inline constexpr unsigned shader_storage_buffer = 0x90D2;
inline constexpr unsigned atomic_counter_buffer = 0x92C0;
inline constexpr unsigned array_buffer_binding = 0x8894;
inline constexpr unsigned element_array_buffer_binding = 0x8895;
inline constexpr unsigned pixel_pack_buffer_binding = 0x88ED;
inline constexpr unsigned pixel_unpack_buffer_binding = 0x88EF;
inline constexpr unsigned transform_feedback_buffer_binding = 0x8C8F;
inline constexpr unsigned map_read_bit = 0x1;
inline constexpr unsigned map_write_bit = 0x2;
inline constexpr unsigned map_unsynchronized_bit = 0x20;
inline constexpr unsigned stream_read = 0x88E1;
inline constexpr unsigned unsigned_byte = 0x1401;
inline constexpr unsigned unsigned_int = 0x1405;
inline constexpr unsigned float_type = 0x1406;
inline constexpr unsigned red = 0x1903;
inline constexpr unsigned red_integer = 0x8D94;
inline constexpr unsigned rgba = 0x1908;
inline constexpr unsigned rgba_integer = 0x8D99;

// Primitives and transform feedback.
inline constexpr unsigned points = 0x0000;
inline constexpr unsigned lines = 0x0001;
inline constexpr unsigned line_strip = 0x0003;
inline constexpr unsigned triangles = 0x0004;
inline constexpr unsigned triangle_strip = 0x0005;
inline constexpr unsigned triangle_fan = 0x0006;
inline constexpr unsigned transform_feedback_paused = 0x8E23;
inline constexpr unsigned transform_feedback_active = 0x8E24;

}  // namespace passmeter::testing::gl_enum
