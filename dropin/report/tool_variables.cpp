// SPDX-License-Identifier: BSD-3-Clause
#include "report/tool_variables.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "core/process.hpp"

namespace laconic::dropin {
namespace {

struct Field {
  const char* name;
  const char* description;
  int pvar_class;
  std::uint64_t* (*count)(Tally&, std::size_t);
  double* (*measure)(Tally&, std::size_t);
};

template <std::uint64_t Tally::*member>
std::uint64_t* count_at(Tally& tally, std::size_t) {
  return &(tally.*member);
}
template <double Tally::*member>
double* measure_at(Tally& tally, std::size_t) {
  return &(tally.*member);
}
std::uint64_t* plain_at(Tally& tally, std::size_t reason) { return &tally.plain[reason]; }

// The names are the same as in the report.
constexpr Field fields[] = {
    {"calls", "calls", MPI_T_PVAR_CLASS_COUNTER, count_at<&Tally::calls>, nullptr},
    {"compressed", "calls that were compressed", MPI_T_PVAR_CLASS_COUNTER, count_at<&Tally::compressed>, nullptr},
    {"bytes", "bytes of this rank's contributions to compressed calls", MPI_T_PVAR_CLASS_AGGREGATE,
     count_at<&Tally::bytes>, nullptr},
    {"wire_bytes", "bytes that this rank sent for compressed calls", MPI_T_PVAR_CLASS_AGGREGATE, count_at<&Tally::sent>,
     nullptr},
    {"uncompressed_bytes", "bytes that the same messages would have had uncompressed", MPI_T_PVAR_CLASS_AGGREGATE,
     count_at<&Tally::uncompressed>, nullptr},
    {"seconds", "seconds in compressed calls", MPI_T_PVAR_CLASS_TIMER, nullptr, measure_at<&Tally::seconds>},
    {"bound", "largest absolute bound of a compressed call", MPI_T_PVAR_CLASS_HIGHWATERMARK, nullptr,
     measure_at<&Tally::bound>},
    {"worst_case", "largest worst-case error of a compressed call", MPI_T_PVAR_CLASS_HIGHWATERMARK, nullptr,
     measure_at<&Tally::achieved>},
    {"audits", "calls that were audited", MPI_T_PVAR_CLASS_COUNTER, count_at<&Tally::audits>, nullptr},
    {"audit_error", "largest error found by an audit", MPI_T_PVAR_CLASS_HIGHWATERMARK, nullptr,
     measure_at<&Tally::error>},
    {"audit_plain_seconds", "seconds in the plain calls of audits", MPI_T_PVAR_CLASS_TIMER, nullptr,
     measure_at<&Tally::plain_seconds>},
};

std::string name_in_mpi(Operation operation) {
  std::string name(name_of(operation));
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

std::vector<Variable> make_variables() {
  std::vector<Variable> made;
  for (std::size_t o = 0; o < num_operations; ++o) {
    const auto operation = static_cast<Operation>(o);
    const std::string begin = "laconic_" + std::string(name_of(operation)) + '_';
    const std::string end = ": " + name_in_mpi(operation) + ", nonblocking and persistent ones among them";
    for (const Field& field : fields)
      made.push_back({begin + field.name, field.description + end, field.pvar_class, MPI_T_VERBOSITY_USER_BASIC,
                      operation, field.count, field.measure, 0});
    for (std::size_t k = 1; k < reasons; ++k) {
      const auto reason = static_cast<Reason>(k);
      made.push_back({begin + "plain_" + key_of(reason), std::string("calls left to MPI, ") + text_of(reason) + end,
                      MPI_T_PVAR_CLASS_COUNTER, MPI_T_VERBOSITY_USER_DETAIL, operation, plain_at, nullptr, k});
    }
  }
  return made;
}

}  // namespace

const std::vector<Variable>& variables() {
  static const std::vector<Variable>& made = *new std::vector<Variable>(make_variables());  // for tools at exit
  return made;
}

int find_variable(const char* name, int pvar_class) {
  const auto& all = variables();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Variable& v) { return v.name == name && v.pvar_class == pvar_class; });
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

int Indices::settle(int* all) {
  int number = 0;
  const int code = number_in_mpi_(&number);
  if (code != MPI_SUCCESS) return code;
  int nobody = -1;
  first_.compare_exchange_strong(nobody, number);
  if (all != nullptr) *all = number + ours_;
  return MPI_SUCCESS;
}

int Indices::look_up(int index) {
  int all = 0;
  const int code = settle(&all);
  return code == MPI_SUCCESS && (index < 0 || index >= all) ? MPI_T_ERR_INVALID_INDEX : code;
}

Indices& variable_indices() {
  static Indices& indices = *new Indices(static_cast<int>(variables().size()), PMPI_T_pvar_get_num);
  return indices;
}

void give_text(const std::string& text, char* place, int* length) {
  if (length == nullptr) return;
  if (place != nullptr && *length > 0) {
    const std::size_t most = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(place, text.data(), most);
    place[most] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

VariableHandles& VariableHandles::instance() {
  static VariableHandles& handles = *new VariableHandles;  // never destroyed, like Process
  return handles;
}

MPI_T_pvar_handle VariableHandles::allocate(MPI_T_pvar_session session, const Variable& variable) {
  auto made = std::make_unique<Handle>();
  made->session = session;
  made->variable = &variable;
  auto handle = reinterpret_cast<MPI_T_pvar_handle>(made.get());
  const std::lock_guard lock(mutex_);
  handles_.emplace(handle, std::move(made));
  Process::instance().set_tools_count(true);
  return handle;
}

void VariableHandles::forget(std::unordered_map<MPI_T_pvar_handle, std::unique_ptr<Handle>>::iterator at) {
  apply(Act::stop, *at->second, nullptr);
  handles_.erase(at);
  if (handles_.empty()) Process::instance().set_tools_count(false);
}

bool VariableHandles::free(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int& code) {
  const std::lock_guard lock(mutex_);
  const auto at = handles_.find(handle);
  if (at == handles_.end()) return false;
  code = at->second->session == session ? MPI_SUCCESS : MPI_T_ERR_INVALID_HANDLE;
  if (code == MPI_SUCCESS) forget(at);
  return true;
}

void VariableHandles::free_all(MPI_T_pvar_session session) {
  const std::lock_guard lock(mutex_);
  for (auto at = handles_.begin(); at != handles_.end();) {
    const auto next = std::next(at);
    if (at->second->session == session) forget(at);
    at = next;
  }
}

bool VariableHandles::apply(Act act, MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* numbers, int& code) {
  const std::lock_guard lock(mutex_);
  const auto at = handles_.find(handle);
  if (at == handles_.end()) return false;
  code = MPI_SUCCESS;
  if (at->second->session != session) code = MPI_T_ERR_INVALID_HANDLE;
  if (act > Act::reset && numbers == nullptr) code = MPI_T_ERR_INVALID;
  if (code == MPI_SUCCESS) apply(act, *at->second, numbers);
  return true;
}

void VariableHandles::apply_to_all(Act act, MPI_T_pvar_session session) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, handle] : handles_)
    if (handle->session == session) apply(act, *handle, nullptr);
}

void VariableHandles::apply(Act act, Handle& handle, void* numbers) {
  const Variable& variable = *handle.variable;
  Tallies& tallies = Tallies::instance();
  if (act == Act::start && !handle.started) tallies.watch(variable.operation, handle.tally);
  if (act == Act::stop && handle.started) tallies.unwatch(variable.operation, handle.tally);
  if (act == Act::start || act == Act::stop) {
    handle.started = act == Act::start;
    return;
  }
  tallies.change([&] {
    void* const here = variable.count != nullptr ? static_cast<void*>(variable.count(handle.tally, variable.which))
                                                 : variable.measure(handle.tally, variable.which);
    static_assert(sizeof(std::uint64_t) == sizeof(double) && sizeof(unsigned long long) == sizeof(double));
    if (act == Act::read || act == Act::read_and_reset) std::memcpy(numbers, here, sizeof(double));
    if (act == Act::write) std::memcpy(here, numbers, sizeof(double));
    if (act == Act::reset || act == Act::read_and_reset) handle.tally = Tally();
  });
}

}  // namespace laconic::dropin
