// Under Emscripten: the members of glad's table that gl_functions.cpp reads, loaded by name, under glad's own
// names. All of glad would be larger than the rest of this backend, and a download is what a web page has
// least of.
#pragma once

#include <type_traits>

#include "gl_api.h"

namespace passmeter::gl {

using GLADapiproc = void (*)();
using GLADuserptrloadfunc = GLADapiproc (*)(void* user, const char* name);

struct GladGLContext {
  const GLubyte* (*GetString)(GLenum);
  const GLubyte* (*GetStringi)(GLenum, GLuint);
  void (*GetIntegerv)(GLenum, GLint*);
  void (*Flush)();
  void (*Finish)();
  void (*GenQueries)(GLsizei, GLuint*);
  void (*GenQueriesEXT)(GLsizei, GLuint*);
  void (*DeleteQueries)(GLsizei, const GLuint*);
  void (*DeleteQueriesEXT)(GLsizei, const GLuint*);
  void (*BeginQuery)(GLenum, GLuint);
  void (*BeginQueryEXT)(GLenum, GLuint);
  void (*EndQuery)(GLenum);
  void (*EndQueryEXT)(GLenum);
  void (*QueryCounter)(GLuint, GLenum);
  void (*QueryCounterEXT)(GLuint, GLenum);
  void (*GetQueryiv)(GLenum, GLenum, GLint*);
  void (*GetQueryivEXT)(GLenum, GLenum, GLint*);
  void (*GetQueryObjectuiv)(GLuint, GLenum, GLuint*);
  void (*GetQueryObjectuivEXT)(GLuint, GLenum, GLuint*);
  void (*GetQueryObjectui64v)(GLuint, GLenum, GLuint64*);
  void (*GetQueryObjectui64vEXT)(GLuint, GLenum, GLuint64*);
  GLsync (*FenceSync)(GLenum, GLbitfield);
  GLenum (*ClientWaitSync)(GLsync, GLbitfield, GLuint64);
  void (*DeleteSync)(GLsync);
  GLenum (*GetGraphicsResetStatus)();
  GLenum (*GetGraphicsResetStatusKHR)();
  GLenum (*GetGraphicsResetStatusEXT)();
  GLenum (*GetGraphicsResetStatusARB)();
  void (*PushDebugGroup)(GLenum, GLuint, GLsizei, const GLchar*);
  void (*PushDebugGroupKHR)(GLenum, GLuint, GLsizei, const GLchar*);
  void (*PopDebugGroup)();
  void (*PopDebugGroupKHR)();
};

inline int gladLoadGLContextUserPtr(GladGLContext* gl, GLADuserptrloadfunc find, void* user) {
  const auto take = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(find(user, name));
  };
  take(gl->GetString, "glGetString");
  take(gl->GetStringi, "glGetStringi");
  take(gl->GetIntegerv, "glGetIntegerv");
  take(gl->Flush, "glFlush");
  take(gl->Finish, "glFinish");
  take(gl->GenQueries, "glGenQueries");
  take(gl->GenQueriesEXT, "glGenQueriesEXT");
  take(gl->DeleteQueries, "glDeleteQueries");
  take(gl->DeleteQueriesEXT, "glDeleteQueriesEXT");
  take(gl->BeginQuery, "glBeginQuery");
  take(gl->BeginQueryEXT, "glBeginQueryEXT");
  take(gl->EndQuery, "glEndQuery");
  take(gl->EndQueryEXT, "glEndQueryEXT");
  take(gl->QueryCounter, "glQueryCounter");
  take(gl->QueryCounterEXT, "glQueryCounterEXT");
  take(gl->GetQueryiv, "glGetQueryiv");
  take(gl->GetQueryivEXT, "glGetQueryivEXT");
  take(gl->GetQueryObjectuiv, "glGetQueryObjectuiv");
  take(gl->GetQueryObjectuivEXT, "glGetQueryObjectuivEXT");
  take(gl->GetQueryObjectui64v, "glGetQueryObjectui64v");
  take(gl->GetQueryObjectui64vEXT, "glGetQueryObjectui64vEXT");
  take(gl->FenceSync, "glFenceSync");
  take(gl->ClientWaitSync, "glClientWaitSync");
  take(gl->DeleteSync, "glDeleteSync");
  take(gl->GetGraphicsResetStatus, "glGetGraphicsResetStatus");
  take(gl->GetGraphicsResetStatusKHR, "glGetGraphicsResetStatusKHR");
  take(gl->GetGraphicsResetStatusEXT, "glGetGraphicsResetStatusEXT");
  take(gl->GetGraphicsResetStatusARB, "glGetGraphicsResetStatusARB");
  take(gl->PushDebugGroup, "glPushDebugGroup");
  take(gl->PushDebugGroupKHR, "glPushDebugGroupKHR");
  take(gl->PopDebugGroup, "glPopDebugGroup");
  take(gl->PopDebugGroupKHR, "glPopDebugGroupKHR");
  return gl->GetString != nullptr ? 1 : 0;
}

inline int gladLoadGLES2ContextUserPtr(GladGLContext* gl, GLADuserptrloadfunc find, void* user) {
  return gladLoadGLContextUserPtr(gl, find, user);
}

}  // namespace passmeter::gl
