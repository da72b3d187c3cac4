#include "pairs/numbering.hpp"

#include <string>

namespace medir {

InputError repeated(const QueryList& list, const Entry& entry) {
    return list.lists.error(list.query, entry,
                            "document '" + entry.document() + "' appears twice in the list of query '" +
                                std::string(list.lists.query(list.query)) + "'",
                            "Remove one of them, or choose --duplicates first (duplicates=\"first\") to keep the one "
                            "that is ranked higher.");
}

}  // namespace medir
