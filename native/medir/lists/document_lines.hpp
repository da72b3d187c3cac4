// Text of two columns: a document, and what is said of it.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "lists/entry.hpp"

namespace medir {

// The lines, without a byte order mark.
inline std::string_view lines_of(const Text& text) {
    const std::string_view all(text.begin(), text.size());
    return all.starts_with("\xef\xbb\xbf") ? all.substr(3) : all;
}

// How many lines there are at most.
inline std::size_t count_lines(std::string_view lines) {
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) + 1;
}

// Calls take(document, what) for every line that is not blank and no comment. `layout` names the columns; `remedy` is
// for a line that has others.
template <class Take>
void read_document_lines(const Text& text, const std::string& layout, const std::string& remedy, const Take& take) {
    const std::string_view lines = lines_of(text);
    const char* const end = text.end();
    bool any = false;
    for (const char* p = lines.data(); p < end;) {
        const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        const char* line_end = newline == nullptr ? end : newline;
        const char* document = skip_blanks(p);
        p = line_end + 1;
        if (document >= line_end || *document == '#') continue;
        const char* document_end = std::min(token_end(document), line_end);
        const char* first = skip_blanks(document_end);
        const char* last = first < line_end ? std::min(token_end(first), line_end) : first;
        if (document == document_end || first >= line_end || skip_blanks(last) < line_end)
            throw text.error(document, "expected " + layout, remedy);
        const auto size = static_cast<std::uint32_t>(document_end - document);
        take(Entry{document, 0, size, hash_bytes(document, size)}, std::string_view(first, last));
        any = true;
    }
    text.check();
    if (!any) throw text.error(text.size() == 0 ? "is empty" : "holds only comments and blank lines", "");
}

}  // namespace medir
