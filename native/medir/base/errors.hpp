// What is wrong with an input, with all that a user needs to fix it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace medir {

class InputError : public std::exception {
public:
    InputError(std::string input, std::uint64_t line_number, std::string line_text, std::string fault,
               std::string advice)
        : source(std::move(input)),
          line(line_number),
          text(std::move(line_text)),
          problem(std::move(fault)),
          remedy(std::move(advice)) {}

    const char* what() const noexcept override { return problem.c_str(); }

    std::string source;  // the file, or what else the input is called
    std::uint64_t line;  // counted from 1; 0 when the problem is not in one line
    std::string text;    // the offending line
    std::string problem;
    std::string remedy;
};

}  // namespace medir
