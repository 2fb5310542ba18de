// Objects by GL id in one flat array: finding one is an index and a compare, and once the array has grown,
// creating and deleting allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace passmeter::testing {

// An id is 1 + slot + (generation << 20). The first ids are 1, 2, 3, ...; a slot used again gets another
// generation, so that an old id stays unknown (unless reuse_ids, which is what real drivers do).
template <typename T>
class SlotTable {
 public:
  SlotTable() {
    entries_.reserve(initial_capacity);
    free_.reserve(initial_capacity);
  }

  void set_reuse_ids(bool on) { reuse_ids_ = on; }

  std::uint32_t create() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(entries_.size()));
      entries_.emplace_back();
      free_.reserve(entries_.capacity());  // so that deleting them all needs no memory
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    entries_[slot].live = true;
    if (++live_ > peak_) peak_ = live_;
    return 1 + slot + (entries_[slot].generation << slot_bits);
  }

  T* find(std::uint32_t id) {
    const std::uint32_t slot = (id - 1) & slot_mask;
    if (slot >= entries_.size()) return nullptr;
    Entry& entry = entries_[slot];
    return entry.live && entry.generation == ((id - 1) >> slot_bits) ? &entry.object : nullptr;
  }

  bool destroy(std::uint32_t id) {
    if (find(id) == nullptr) return false;
    retire((id - 1) & slot_mask);
    return true;
  }

  // Makes every id unknown.
  void clear() {
    free_.clear();
    for (std::size_t i = entries_.size(); i-- > 0;) {
      if (entries_[i].live) {
        retire(static_cast<std::uint32_t>(i));
      } else {
        free_.push_back(static_cast<std::uint32_t>(i));
      }
    }
  }

  std::size_t live() const { return live_; }
  std::size_t peak() const { return peak_; }

  template <typename F>
  void for_each(F&& visit) {
    for (Entry& entry : entries_) {
      if (entry.live) visit(entry.object);
    }
  }

 private:
  static constexpr std::uint32_t slot_bits = 20;
  static constexpr std::uint32_t slot_mask = (1U << slot_bits) - 1;
  static constexpr std::size_t initial_capacity = 1024;

  struct Entry {
    T object{};
    std::uint32_t generation = 0;
    bool live = false;
  };

  void retire(std::uint32_t slot) {
    Entry& entry = entries_[slot];
    entry.object.reset();
    entry.live = false;
    if (!reuse_ids_) entry.generation = (entry.generation + 1) & ((1U << (32 - slot_bits)) - 1);
    free_.push_back(slot);
    --live_;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
  std::size_t peak_ = 0;
  bool reuse_ids_ = false;
};

// Values in the order they were pushed. Taking the last one makes room again without giving memory back.
class ValueQueue {
 public:
  void push(std::uint64_t value) { values_.push_back(value); }
  bool empty() const { return next_ == values_.size(); }
  std::uint64_t take() {
    const std::uint64_t value = values_[next_++];
    if (empty()) {
      values_.clear();
      next_ = 0;
    }
    return value;
  }

 private:
  std::vector<std::uint64_t> values_;
  std::size_t next_ = 0;
};

}  // namespace passmeter::testing
