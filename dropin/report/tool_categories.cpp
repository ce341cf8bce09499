// SPDX-License-Identifier: BSD-3-Clause
// MPI_T functions for categories. The drop-in adds one category with all of its variables. For MPI's categories, the
// indices of their variables and subcategories are translated (tool_variables.hpp).
#include <mpi.h>

#include <numeric>

#include "mpi/exports.hpp"
#include "report/tool_variables.hpp"

using namespace laconic::dropin;

namespace {

constexpr const char* name_of_ours = "laconic";
constexpr const char* text_of_ours = "what Laconic makes of collective operations";

Indices& category_indices() {
  static Indices& indices = *new Indices(1, PMPI_T_category_get_num);
  return indices;
}

int look_up(int cat_index) {
  const int code = variable_indices().settle();  // categories contain variables
  return code == MPI_SUCCESS ? category_indices().look_up(cat_index) : code;
}

struct Numbers {
  int cvars = 0;
  int pvars = 0;
  int categories = 0;
};

Numbers numbers_in_mpi(int cat_index) {
  Numbers in;
  int no_name = 0;
  int no_text = 0;
  PMPI_T_category_get_info(cat_index, nullptr, &no_name, nullptr, &no_text, &in.cvars, &in.pvars, &in.categories);
  return in;
}

void translate(const Indices& places, int number, int len, int indices[]) {
  for (int k = 0; k < number && k < len; ++k) indices[k] = places.from_mpi(indices[k]);
}

}  // namespace

LACONIC_EXPORT int MPI_T_category_get_num(int* num_cat) {
  return num_cat == nullptr ? PMPI_T_category_get_num(num_cat) : category_indices().settle(num_cat);
}

LACONIC_EXPORT int MPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len,
                                           int* num_cvars, int* num_pvars, int* num_categories) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (!category_indices().ours(cat_index))
    return PMPI_T_category_get_info(category_indices().to_mpi(cat_index), name, name_len, desc, desc_len, num_cvars,
                                    num_pvars, num_categories);
  give_text(name_of_ours, name, name_len);
  give_text(text_of_ours, desc, desc_len);
  give(num_cvars, 0);
  give(num_pvars, static_cast<int>(variables().size()));
  give(num_categories, 0);
  return MPI_SUCCESS;
}

LACONIC_EXPORT int MPI_T_category_get_index(const char* name, int* cat_index) {
  if (const int code = category_indices().settle(); code != MPI_SUCCESS) return code;
  if (name != nullptr && cat_index != nullptr && std::string(name) == name_of_ours) {
    *cat_index = category_indices().index_of(0);
    return MPI_SUCCESS;
  }
  const int code = PMPI_T_category_get_index(name, cat_index);
  if (code == MPI_SUCCESS) *cat_index = category_indices().from_mpi(*cat_index);
  return code;
}

LACONIC_EXPORT int MPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (category_indices().ours(cat_index)) return MPI_SUCCESS;
  return PMPI_T_category_get_cvars(category_indices().to_mpi(cat_index), len, indices);
}

LACONIC_EXPORT int MPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (category_indices().ours(cat_index)) {
    const int number = static_cast<int>(variables().size());
    if (indices != nullptr && len > 0)
      std::iota(indices, indices + (len < number ? len : number), variable_indices().index_of(0));
    return MPI_SUCCESS;
  }
  const int in_mpi = category_indices().to_mpi(cat_index);
  const int code = PMPI_T_category_get_pvars(in_mpi, len, indices);
  if (code == MPI_SUCCESS) translate(variable_indices(), numbers_in_mpi(in_mpi).pvars, len, indices);
  return code;
}

LACONIC_EXPORT int MPI_T_category_get_categories(int cat_index, int len, int indices[]) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (category_indices().ours(cat_index)) return MPI_SUCCESS;
  const int in_mpi = category_indices().to_mpi(cat_index);
  const int code = PMPI_T_category_get_categories(in_mpi, len, indices);
  if (code == MPI_SUCCESS) translate(category_indices(), numbers_in_mpi(in_mpi).categories, len, indices);
  return code;
}

#if MPI_VERSION >= 4
LACONIC_EXPORT int MPI_T_category_get_num_events(int cat_index, int* num_events) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (!category_indices().ours(cat_index))
    return PMPI_T_category_get_num_events(category_indices().to_mpi(cat_index), num_events);
  give(num_events, 0);
  return MPI_SUCCESS;
}

LACONIC_EXPORT int MPI_T_category_get_events(int cat_index, int len, int indices[]) {
  if (const int code = look_up(cat_index); code != MPI_SUCCESS) return code;
  if (category_indices().ours(cat_index)) return MPI_SUCCESS;
  return PMPI_T_category_get_events(category_indices().to_mpi(cat_index), len, indices);
}
#endif
