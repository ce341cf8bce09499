// SPDX-License-Identifier: BSD-3-Clause
#include "comm/core/errors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace laconic {
namespace {

constexpr std::array<std::pair<Code, int>, 17> classes{{
    {Code::argument, MPI_ERR_ARG},
    {Code::buffer, MPI_ERR_BUFFER},
    {Code::count, MPI_ERR_COUNT},
    {Code::type, MPI_ERR_TYPE},
    {Code::op, MPI_ERR_OP},
    {Code::comm, MPI_ERR_COMM},
    {Code::root, MPI_ERR_ROOT},
    {Code::topology, MPI_ERR_TOPOLOGY},
    {Code::rank, MPI_ERR_RANK},
    {Code::tag, MPI_ERR_TAG},
    {Code::request, MPI_ERR_REQUEST},
    {Code::truncate, MPI_ERR_TRUNCATE},
    {Code::mismatch, MPI_ERR_OTHER},
    {Code::frame, MPI_ERR_INTERN},
    {Code::transport, MPI_ERR_UNKNOWN},
    {Code::device, MPI_ERR_OTHER},
    {Code::memory, MPI_ERR_NO_MEM},
}};

bool mpi_is_running() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  if (initialized) MPI_Finalized(&finalized);
  return initialized && !finalized;
}

// The latest error reported in this thread.  Like errno it is kept per thread, so that it costs no lock.
thread_local int latest_code = MPI_SUCCESS;
thread_local std::string latest_message;

// One error code per class; its text is replaced at each failure.
class Codes {
 public:
  int make(int error_class, std::string text) {
    if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
    std::lock_guard lock(mutex_);
    auto [entry, fresh] = codes_.try_emplace(error_class, error_class);
    if (fresh) {
      int code = MPI_SUCCESS;
      if (MPI_Add_error_code(error_class, &code) == MPI_SUCCESS && carries(code, error_class)) entry->second = code;
    }
    if (entry->second != error_class) MPI_Add_error_string(entry->second, text.c_str());
    return entry->second;
  }

 private:
  // MPICH 4.0.2 hands out codes of predefined classes that collide with its own codes.
  static bool carries(int code, int error_class) {
    static const char probe[] = "laconic";
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    int found = MPI_SUCCESS;
    return MPI_Add_error_string(code, probe) == MPI_SUCCESS && MPI_Error_class(code, &found) == MPI_SUCCESS &&
           found == error_class && MPI_Error_string(code, text, &length) == MPI_SUCCESS && std::string(text) == probe;
  }

  std::mutex mutex_;
  std::map<int, int> codes_;  // class -> code; the class itself where no code could be had
};

Codes& codes() {
  static Codes& instance = *new Codes;  // never destroyed, like Process
  return instance;
}

}  // namespace

int class_of(Code code) {
  for (const auto& [c, error_class] : classes)
    if (c == code) return error_class;
  return code == Code::ok ? MPI_SUCCESS : MPI_ERR_OTHER;
}

Code code_of_class(int error_class) {
  for (const auto& [c, known] : classes)
    if (known == error_class) return c;
  return Code::argument;
}

Status in_operation(std::string_view operation, const Status& status) {
  return status.code() == Code::frame ? Status{Code::frame, std::string(operation) + ": " + status.message()} : status;
}

int remember(const Status& status) {
  if (status.ok()) return MPI_SUCCESS;
  const std::string text = "laconic: " + status.message();
  const int error_class = class_of(status.code());
  latest_code = mpi_is_running() ? codes().make(error_class, text) : error_class;
  latest_message = text;
  return latest_code;
}

int report(MPI_Comm comm, const Status& status) {
  const int code = remember(status);
  if (code != MPI_SUCCESS && mpi_is_running())
    MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, code);
  return code;
}

bool errors_are_fatal(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  bool fatal = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT  // MPI 4
  fatal = fatal || handler == MPI_ERRORS_ABORT;
#endif
  if (handler != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&handler);
  return fatal;
}

std::string message_of(int code) {
  if (code == latest_code && code != MPI_SUCCESS) return latest_message;
  if (!mpi_is_running()) return "error " + std::to_string(code);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "unknown error code " + std::to_string(code);
  return text;
}

}  // namespace laconic
