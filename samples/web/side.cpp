#include "side.h"

#include "json.h"

namespace web {

std::string state_json(Side* side) {
  if (side == nullptr) {
    return R"("ready":false,"asking":false,"lost":false,"why":"This build has no WebGPU.","frames":0,"errors":0)";
  }
  return "\"ready\":" + flag(side->ready()) + ",\"asking\":" + flag(side->asking()) +
         ",\"lost\":" + flag(side->lost()) + ",\"why\":" + quoted(side->why()) +
         ",\"frames\":" + std::to_string(side->frames_drawn()) +
         ",\"errors\":" + std::to_string(side->errors());
}

}  // namespace web
