// A table of Arrow, as its C stream hands it over: batches of columns. The memory is the producer's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/arrow.hpp"
#include "base/errors.hpp"
#include "tables/arrow_column.hpp"

namespace medir {

class ArrowTable {
public:
    // Takes over the stream, or what is left of it, and reads it to its end.
    ArrowTable(std::string name, ArrowArrayStream& stream);
    // Takes over one batch.
    ArrowTable(std::string name, ArrowSchema& schema, ArrowArray& array);
    ArrowTable(const ArrowTable&) = delete;
    // Takes over another stream, of the same columns, and adds its rows.
    void add(ArrowArrayStream& stream);
    // Gives the memory of all batches back. What is added later is counted behind their rows.
    void release_batches();
    ~ArrowTable();

    const std::string& name() const { return name_; }
    // All that were taken over.
    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return types_.size(); }
    std::string column_name(std::size_t column) const;
    const ArrowType& type(std::size_t column) const { return types_[column]; }
    // Of the elements of a column of lists; of others their own.
    ArrowType element_type(std::size_t column) const;
    std::size_t batches() const { return batches_.size(); }
    // The rows of all batches before one.
    std::size_t rows_before(std::size_t batch) const { return starts_[batch]; }
    ArrowColumn part(std::size_t column, std::size_t batch) const;

    // An error about a row, which people count from 1.
    InputError error(std::size_t row, std::string problem, std::string remedy) const;
    InputError null_error(std::size_t row, std::size_t column) const;
    // An error unless a column has the right kind of values.
    void require(std::size_t column, bool holds, const char* expected) const;

private:
    class Stream;
    void check_schema();
    void add(ArrowArray batch);
    void read(Stream& stream);
    void release();

    std::string name_;
    ArrowSchema schema_{};
    std::vector<ArrowType> types_;
    std::vector<ArrowArray> batches_;
    std::vector<std::size_t> starts_;
    std::size_t rows_ = 0;
};

}  // namespace medir
