// The parts of the check, each of a topic. A part ends the program with a message where something does not hold.
#pragma once

#include "check/oracle.hpp"

void check_measures(oracle::Random& random);
void check_far_documents();
void check_counts_of_grades(oracle::Random& random);
void check_intents(oracle::Random& random);
void check_differences();
void check_masks();
void check_solvers(oracle::Random& random);
void check_paths(oracle::Random& random);
void check_long_paths();
void check_long_walks();
void check_tables();
void check_budgets();
// With `show`, prints what is measured and goes on.
void check_efforts(bool show);
