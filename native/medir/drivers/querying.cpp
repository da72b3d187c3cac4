#include "drivers/querying.hpp"

#include "drivers/comparing.hpp"

namespace medir {

namespace {

std::vector<std::uint32_t> ordered(const Matching& matching) {
    const std::size_t before = matching.before_size(), after = matching.after_size();
    std::vector<std::uint32_t> first(before), second(after), judged;
    for (std::uint32_t d = 0; d < matching.documents().size(); ++d) {
        const Document& document = matching.documents()[d];
        if (document.before != 0) first[document.before - 1] = d;
        if (document.after != 0) second[document.after - 1] = d;
        if (document.before + document.after == 0 && document.grade != Document::unjudged) judged.push_back(d);
    }
    for (const std::uint32_t d : second)
        if (matching.documents()[d].before == 0) first.push_back(d);
    first.insert(first.end(), judged.begin(), judged.end());
    return first;
}

}  // namespace

Query query(const Pairing& pairing, std::size_t position, const Lists* qrels,
            const std::vector<std::shared_ptr<const Effectiveness>>& measures, const Options& options) {
    Query query;
    match_query(pairing, position, qrels, options, query.matching);
    query.documents = ordered(query.matching);
    for (const auto& measure : measures)
        query.solutions.push_back(measure->solve(query.matching, *measure->workspace()));
    check_sources(pairing, qrels, options);
    return query;
}

}  // namespace medir
