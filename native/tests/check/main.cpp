// The solvers against definitions and against stated limits of effort: quick, and the same on every run. This is what
// native/tests/mutation/run.py kills mutants with.
#include <cstdio>
#include <cstring>

#include "check/checks.hpp"

int main(int count, char** arguments) {
    const bool show = count > 1 && std::strcmp(arguments[1], "--show") == 0;
    oracle::Random random(1);
    check_differences();
    check_masks();
    check_budgets();
    for (int round = 0; round < 2500; ++round) {
        check_measures(random);
        check_counts_of_grades(random);
        check_solvers(random);
        check_paths(random);
        if (round % 10 == 0) check_intents(random);
    }
    check_long_paths();
    check_long_walks();
    check_tables();
    check_far_documents();
    check_efforts(show);
    std::puts("all checks hold");
}
