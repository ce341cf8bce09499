// SPDX-License-Identifier: BSD-3-Clause
// An MPI whose performance variables and categories grow in number while the program runs, as MPI allows: its variables
// and categories are defined here, in front of the library's own PMPI functions. Indices that a tool has been given
// must not change.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

int variables_in_mpi = 3;
int categories_in_mpi = 1;
int asked_for = -1;  // the last index for which a handle was requested
int failures = 0;

#define EXPECT(condition)                                                                  \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      ++failures;                                                                          \
      std::fprintf(stderr, "FAILED growing_variables.cpp:%d: %s\n", __LINE__, #condition); \
    }                                                                                      \
  } while (false)

int give(const std::string& text, char* name, int* length) {
  if (name != nullptr && *length > static_cast<int>(text.size())) std::strcpy(name, text.c_str());
  if (length != nullptr) *length = static_cast<int>(text.size()) + 1;
  return MPI_SUCCESS;
}

// "own7" is MPI's variable or category 7.
int find(const char* name, int number, int* index) {
  for (int k = 0; k < number; ++k)
    if ("own" + std::to_string(k) == name) {
      *index = k;
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int PMPI_T_pvar_get_num(int* number) {
  *number = variables_in_mpi;
  return MPI_SUCCESS;
}

int PMPI_T_pvar_get_info(int index, char* name, int* length, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*,
                         int*, int*, int*) {
  return give("own" + std::to_string(index), name, length);
}

int PMPI_T_pvar_get_index(const char* name, int, int* index) { return find(name, variables_in_mpi, index); }

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session, int index, void*, MPI_T_pvar_handle*, int*) {
  asked_for = index;
  return MPI_SUCCESS;
}

int PMPI_T_category_get_num(int* number) {
  *number = categories_in_mpi;
  return MPI_SUCCESS;
}

// Each category contains all variables and all categories.
int PMPI_T_category_get_info(int index, char* name, int* length, char*, int*, int*, int* pvars, int* categories) {
  if (pvars != nullptr) *pvars = variables_in_mpi;
  if (categories != nullptr) *categories = categories_in_mpi;
  return give("own" + std::to_string(index), name, length);
}

int PMPI_T_category_get_index(const char* name, int* index) { return find(name, categories_in_mpi, index); }

int PMPI_T_category_get_pvars(int, int length, int indices[]) {
  for (int k = 0; k < length && k < variables_in_mpi; ++k) indices[k] = k;
  return MPI_SUCCESS;
}

int PMPI_T_category_get_categories(int, int length, int indices[]) {
  for (int k = 0; k < length && k < categories_in_mpi; ++k) indices[k] = k;
  return MPI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

using Get = int (*)(int, char*, int*);

int variable_info(int index, char* name, int* length) {
  return MPI_T_pvar_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
}

int category_info(int index, char* name, int* length) {
  return MPI_T_category_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr);
}

std::vector<std::string> names(int number, Get get) {
  std::vector<std::string> all;
  for (int k = 0; k < number; ++k) {
    char name[256] = "";
    int length = sizeof name;
    EXPECT(get(k, name, &length) == MPI_SUCCESS);
    all.emplace_back(name);
  }
  return all;
}

int count_of_variables() {
  int number = -1;
  EXPECT(MPI_T_pvar_get_num(&number) == MPI_SUCCESS);
  return number;
}

int count_of_categories() {
  int number = -1;
  EXPECT(MPI_T_category_get_num(&number) == MPI_SUCCESS);
  return number;
}

bool begins_with(const std::vector<std::string>& all, const std::vector<std::string>& first) {
  return all.size() >= first.size() && std::equal(first.begin(), first.end(), all.begin());
}

}  // namespace

int main() {
  const auto variables = names(count_of_variables(), variable_info);
  const auto categories = names(count_of_categories(), category_info);
  const auto ours = static_cast<int>(variables.size()) - 3;
  EXPECT(ours > 0 && variables[2] == "own2" && variables[3].starts_with("laconic_"));
  EXPECT(categories.size() == 2 && categories[0] == "own0" && categories[1] == "laconic");
  EXPECT(variable_info(ours + 3, nullptr, nullptr) == MPI_T_ERR_INVALID_INDEX);

  variables_in_mpi = 5;
  categories_in_mpi = 3;
  const auto more = names(count_of_variables(), variable_info);
  EXPECT(begins_with(more, variables));
  EXPECT(more.size() == variables.size() + 2 && more[variables.size()] == "own3" && more.back() == "own4");
  const auto more_categories = names(count_of_categories(), category_info);
  EXPECT(begins_with(more_categories, categories));
  EXPECT(more_categories.size() == 4 && more_categories[2] == "own1" && more_categories[3] == "own2");

  int index = -1;
  EXPECT(MPI_T_pvar_get_index("own2", 0, &index) == MPI_SUCCESS && index == 2);
  EXPECT(MPI_T_pvar_get_index("own4", 0, &index) == MPI_SUCCESS && index == ours + 4);
  EXPECT(MPI_T_category_get_index("own2", &index) == MPI_SUCCESS && index == 3);
  EXPECT(MPI_T_category_get_index("laconic", &index) == MPI_SUCCESS && index == 1);
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  EXPECT(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, ours + 3, nullptr, &handle, &index) == MPI_SUCCESS);
  EXPECT(asked_for == 3);

  int members[6] = {-1, -1, -1, -1, -1, -1};
  EXPECT(MPI_T_category_get_pvars(3, 6, members) == MPI_SUCCESS);
  EXPECT(members[2] == 2 && members[3] == ours + 3 && members[4] == ours + 4 && members[5] == -1);
  int groups[4] = {-1, -1, -1, -1};
  EXPECT(MPI_T_category_get_categories(3, 4, groups) == MPI_SUCCESS);
  EXPECT(groups[0] == 0 && groups[1] == 2 && groups[2] == 3 && groups[3] == -1);
  int of_ours[2] = {-1, -1};
  EXPECT(MPI_T_category_get_pvars(1, 2, of_ours) == MPI_SUCCESS && of_ours[0] == 3 && of_ours[1] == 4);
  if (failures == 0) std::printf("growing variables: ok\n");
  return failures == 0 ? 0 : 1;
}
