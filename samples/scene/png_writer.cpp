#include "png_writer.h"

#include <png.h>

namespace scene {

bool write_png(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba,
               std::string& why) {
  if (width < 1 || height < 1 ||
      rgba.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4) {
    why = path + ": the picture's size does not match its data";
    return false;
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  if (png_image_write_to_file(&image, path.c_str(), 0, rgba.data(), 0, nullptr) == 0) {
    why = path + ": " + image.message;
    return false;
  }
  return true;
}

}  // namespace scene
