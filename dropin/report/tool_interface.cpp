// SPDX-License-Identifier: BSD-3-Clause
// MPI_T functions for performance variables: the drop-in adds its variables to MPI's own (tool_variables.hpp). All
// other requests go to MPI, which also checks whether MPI_T is initialised.
#include <mpi.h>

#include "mpi/exports.hpp"
#include "report/tool_variables.hpp"

using namespace laconic::dropin;

using Act = VariableHandles::Act;

namespace {

const Variable& variable_at(int index) {
  return variables()[static_cast<std::size_t>(variable_indices().number_of(index))];
}

int act_on(Act act, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
           int (*of_mpi)(MPI_T_pvar_session, MPI_T_pvar_handle)) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) {
    const int code = of_mpi(session, handle);
    if (session != MPI_T_PVAR_SESSION_NULL) VariableHandles::instance().apply_to_all(act, session);
    return code;
  }
  int code = MPI_SUCCESS;
  return VariableHandles::instance().apply(act, session, handle, nullptr, code) ? code : of_mpi(session, handle);
}

}  // namespace

LACONIC_EXPORT int MPI_T_pvar_get_num(int* num_pvar) {
  return num_pvar == nullptr ? PMPI_T_pvar_get_num(num_pvar) : variable_indices().settle(num_pvar);
}

LACONIC_EXPORT int MPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                                       MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len,
                                       int* bind, int* readonly, int* continuous, int* atomic) {
  Indices& indices = variable_indices();
  if (const int code = indices.look_up(pvar_index); code != MPI_SUCCESS) return code;
  if (!indices.ours(pvar_index))
    return PMPI_T_pvar_get_info(indices.to_mpi(pvar_index), name, name_len, verbosity, var_class, datatype, enumtype,
                                desc, desc_len, bind, readonly, continuous, atomic);
  const Variable& variable = variable_at(pvar_index);
  give_text(variable.name, name, name_len);
  give_text(variable.description, desc, desc_len);
  give(verbosity, variable.verbosity);
  give(var_class, variable.pvar_class);
  give(datatype, variable.type());
  give(enumtype, static_cast<MPI_T_enum>(MPI_T_ENUM_NULL));
  give(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
  give(readonly, 0);
  give(continuous, 0);
  give(atomic, 1);
  return MPI_SUCCESS;
}

LACONIC_EXPORT int MPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  Indices& indices = variable_indices();
  if (const int code = indices.settle(); code != MPI_SUCCESS) return code;
  const int number = name != nullptr && pvar_index != nullptr ? find_variable(name, var_class) : -1;
  if (number >= 0) {
    *pvar_index = indices.index_of(number);
    return MPI_SUCCESS;
  }
  const int code = PMPI_T_pvar_get_index(name, var_class, pvar_index);
  if (code == MPI_SUCCESS) *pvar_index = indices.from_mpi(*pvar_index);
  return code;
}

LACONIC_EXPORT int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void* obj_handle,
                                           MPI_T_pvar_handle* handle, int* count) {
  Indices& indices = variable_indices();
  if (const int code = indices.look_up(pvar_index); code != MPI_SUCCESS) return code;
  if (!indices.ours(pvar_index))
    return PMPI_T_pvar_handle_alloc(session, indices.to_mpi(pvar_index), obj_handle, handle, count);
  if (session == MPI_T_PVAR_SESSION_NULL) return MPI_T_ERR_INVALID_SESSION;
  if (handle == nullptr) return MPI_T_ERR_INVALID;
  *handle = VariableHandles::instance().allocate(session, variable_at(pvar_index));
  give(count, 1);
  return MPI_SUCCESS;
}

LACONIC_EXPORT int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  int code = MPI_SUCCESS;
  if (handle == nullptr || !VariableHandles::instance().free(session, *handle, code))
    return PMPI_T_pvar_handle_free(session, handle);
  if (code == MPI_SUCCESS) *handle = MPI_T_PVAR_HANDLE_NULL;
  return code;
}

LACONIC_EXPORT int MPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  const MPI_T_pvar_session freed = session != nullptr ? *session : MPI_T_PVAR_SESSION_NULL;
  // Our handles are freed first: once MPI has freed the session, a new one may get the same handle at any moment.
  if (freed != MPI_T_PVAR_SESSION_NULL) VariableHandles::instance().free_all(freed);
  return PMPI_T_pvar_session_free(session);
}

LACONIC_EXPORT int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(Act::start, session, handle, PMPI_T_pvar_start);
}

LACONIC_EXPORT int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(Act::stop, session, handle, PMPI_T_pvar_stop);
}

LACONIC_EXPORT int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return act_on(Act::reset, session, handle, PMPI_T_pvar_reset);
}

LACONIC_EXPORT int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  int code = MPI_SUCCESS;
  if (VariableHandles::instance().apply(Act::read, session, handle, buf, code)) return code;
  return PMPI_T_pvar_read(session, handle, buf);
}

LACONIC_EXPORT int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  int code = MPI_SUCCESS;
  if (VariableHandles::instance().apply(Act::read_and_reset, session, handle, buf, code)) return code;
  return PMPI_T_pvar_readreset(session, handle, buf);
}

LACONIC_EXPORT int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  int code = MPI_SUCCESS;
  if (VariableHandles::instance().apply(Act::write, session, handle, const_cast<void*>(buf), code)) return code;
  return PMPI_T_pvar_write(session, handle, buf);
}
