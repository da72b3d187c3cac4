#include "texts/marco.hpp"

#include "base/bytes.hpp"
#include "base/tokens.hpp"

namespace medir {

std::size_t MarcoRun::parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    for_each_line(lines, id_size, [&](const char* p) { return parse_line(p, entries); });
    return 0;
}

inline const char* MarcoRun::parse_line(const char* p, std::vector<Entry>& entries) const {
    const char* layout = columns_ == 3 ? "3 columns (query document rank)" : "4 columns (query document rank score)";
    const auto column = [&](const char* from, std::size_t found) {
        const char* first = skip_blanks(from);
        if (static_cast<unsigned char>(*first) < 0x21) fail(first, found, layout);
        return first;
    };
    const char* document = column(p, 1);
    const char* document_end = token_end(document);
    const char* rank_begin = column(document_end, 2);
    const char* rank_end = p = token_end(rank_begin);
    double value = rank(rank_begin, rank_end);  // if it were none, the file would be something else
    if (columns_ == 4) {
        const char* score_begin = column(rank_end, 3);
        p = token_end(score_begin);
        if (order_ == Order::score) value = score(score_begin, p);
    }
    if (is_binary(p)) fail(p, static_cast<std::size_t>(columns_), layout);
    p = skip_blanks(p);
    if (p < text_.end() && *p != '\n')
        throw text_.error(document, "expected " + std::string(layout) + ", found more",
                          "The first line has " + std::to_string(columns_) + " columns.");
    const auto size = static_cast<std::uint32_t>(document_end - document);
    entries.push_back({document, value, size, hash_bytes(document, size)});
    return p < text_.end() ? p + 1 : p;
}

}  // namespace medir
