// What is wrong with an input, with all that a user needs to mend it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace medir {

class InputError : public std::exception {
public:
    InputError(std::string source, std::uint64_t line, std::string text, std::string problem, std::string remedy)
        : source(std::move(source)),
          line(line),
          text(std::move(text)),
          problem(std::move(problem)),
          remedy(std::move(remedy)) {}

    const char* what() const noexcept override { return problem.c_str(); }

    std::string source;  // the file, or what else the input is called
    std::uint64_t line;  // counted from 1; 0 when the problem is not in one line
    std::string text;    // the offending line
    std::string problem;
    std::string remedy;
};

}  // namespace medir
