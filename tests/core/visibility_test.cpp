#include "passmeter/visibility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "counting_new.h"

namespace passmeter {
namespace {

struct Log {
  std::vector<std::pair<Diagnostic, std::string>> lines;
  LogCallback callback() {
    return {[](void* user, Diagnostic diagnostic, const char* message) {
              static_cast<Log*>(user)->lines.emplace_back(diagnostic, message);
            },
            this};
  }
  std::size_t count(Diagnostic diagnostic) const {
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [=](const auto& line) { return line.first == diagnostic; }));
  }
};

// One frame in which the object is tested if it wants to be, and answered at once.
void frame_with_answer(Visibility& visibility, std::uint32_t object, std::uint64_t samples) {
  visibility.begin_frame(10);
  if (visibility.ask(object) == Ask::test) visibility.answer(object, visibility.frame(), samples);
  visibility.end_frame();
}

void hide(Visibility& visibility, std::uint32_t object) {
  for (std::uint32_t i = 0; i < 20 && visibility.visible(object); ++i)
    frame_with_answer(visibility, object, 0);
  ASSERT_FALSE(visibility.visible(object));
}

std::uint64_t wishes(const Visibility& visibility) {
  return visibility.latency().accepted() + visibility.latency().verdicts().rejected() +
         visibility.in_flight();
}

// Shows that only answers change what is known: unknown and pending never count as hidden, and one zero does
// not hide.
TEST(Case40, PendingAndFirstZeroStayVisible) {
  Visibility visibility({.objects = 1});
  EXPECT_TRUE(visibility.visible(0)) << "unknown";

  std::vector<bool> seen;
  frame_with_answer(visibility, 0, 1);
  seen.push_back(visibility.visible(0));
  for (int pending = 0; pending < 2; ++pending) {
    visibility.begin_frame(10);
    visibility.ask(0);
    visibility.end_frame();
    seen.push_back(visibility.visible(0));
  }
  // Whatever was asked in between is answered with 0 now; then the confirmation.
  while (visibility.in_flight() == 0) {
    visibility.begin_frame(10);
    visibility.ask(0);
    visibility.end_frame();
  }
  const std::uint64_t asked_in = visibility.frame();
  visibility.begin_frame(10);
  visibility.answer(0, asked_in, 0);
  visibility.end_frame();
  seen.push_back(visibility.visible(0));
  frame_with_answer(visibility, 0, 0);
  seen.push_back(visibility.visible(0));

  EXPECT_EQ(seen, (std::vector<bool>{true, true, true, true, false}));
}

// Shows that the number of zeros that hide is the configured one and that a sample in between starts over.
TEST(Visibility, HidesAfterConfiguredZerosInARow) {
  Visibility visibility({.objects = 1, .hide_after = 3, .retest_visible_every = 1});
  for (const std::uint64_t samples : {0u, 0u, 5u, 0u, 0u}) {
    frame_with_answer(visibility, 0, samples);
    EXPECT_TRUE(visibility.visible(0));
  }
  frame_with_answer(visibility, 0, 0);
  EXPECT_FALSE(visibility.visible(0));
  EXPECT_EQ(visibility.hidden(), 1u);
}

// Shows that one answer with samples is enough to be visible again, and that the samples can be asked for.
TEST(Visibility, OneAnswerWithSamplesShowsAgain) {
  Visibility visibility({.objects = 2, .retest_hidden_every = 1});
  hide(visibility, 1);
  frame_with_answer(visibility, 1, 77);
  EXPECT_TRUE(visibility.visible(1));
  EXPECT_EQ(visibility.samples(1), 77u);
  EXPECT_EQ(visibility.hidden(), 0u);
}

// Shows that the age of an answer is counted from the frame it is about, not from its arrival.
TEST(Visibility, AgeCountsFromTheTestedFrame) {
  Visibility visibility({.objects = 1});
  EXPECT_EQ(visibility.age(0), Visibility::never);
  visibility.begin_frame(1);
  ASSERT_EQ(visibility.ask(0), Ask::test);
  visibility.end_frame();
  for (int i = 0; i < 3; ++i) {
    visibility.begin_frame(1);
    visibility.end_frame();
  }
  EXPECT_EQ(visibility.age(0), Visibility::never) << "asked is not answered";
  visibility.answer(0, 0, 1);
  EXPECT_EQ(visibility.age(0), 3u);
  EXPECT_EQ(visibility.latency().last(), 3.0);
  visibility.begin_frame(1);
  EXPECT_EQ(visibility.age(0), 4u);
}

// Shows that hidden objects are asked again every few frames and visible ones less often, spread over the
// frames.
TEST(Visibility, RetestsAreRarerForVisibleOnesAndSpreadOverFrames) {
  constexpr std::uint32_t count = 2400;
  Visibility visibility({.objects = count, .retest_hidden_every = 3, .retest_visible_every = 8});
  const auto is_hidden = [](std::uint32_t id) { return id % 2 == 1; };
  std::vector<std::uint32_t> hidden_tests(48), visible_tests(48);
  for (std::uint32_t frame = 0; frame < 60; ++frame) {
    visibility.begin_frame(count);
    for (std::uint32_t id = 0; id < count; ++id) {
      if (visibility.ask(id) != Ask::test) continue;
      visibility.answer(id, visibility.frame(), is_hidden(id) ? 0 : 1);
      if (frame >= 12) ++(is_hidden(id) ? hidden_tests : visible_tests)[frame - 12];
    }
    visibility.end_frame();
  }
  for (std::size_t frame = 0; frame < 48; ++frame) {
    EXPECT_NEAR(hidden_tests[frame], 1200 / 3, 60) << "frame " << frame;
    EXPECT_NEAR(visible_tests[frame], 1200 / 8, 40) << "frame " << frame;
  }
}

// Shows the stated bound on how long an object that came into view stays undrawn, for several answer
// latencies.
TEST(Visibility, ComesIntoViewWithinTheStatedFrames) {
  for (const std::uint32_t latency : {1u, 2u, 3u, 5u}) {
    constexpr std::uint32_t every = 3;
    constexpr std::uint32_t count = 64;
    Visibility visibility({.objects = count, .retest_hidden_every = every});
    struct Asked {
      std::uint32_t object;
      std::uint64_t frame;
      bool in_view;
    };
    std::vector<Asked> pending;
    std::uint32_t worst = 0, missing = 0;
    for (std::uint64_t frame = 0; frame < 200; ++frame) {
      const bool in_view = frame >= 101;  // all come into view at once
      visibility.begin_frame(count);
      std::erase_if(pending, [&](const Asked& test) {
        if (frame - test.frame < latency) return false;
        visibility.answer(test.object, test.frame, test.in_view ? 1 : 0);
        return true;
      });
      std::uint32_t undrawn = 0;
      for (std::uint32_t id = 0; id < count; ++id) {
        if (in_view && !visibility.visible(id)) ++undrawn;
        if (visibility.ask(id) == Ask::test) pending.push_back({id, frame, in_view});
      }
      visibility.end_frame();
      if (undrawn > 0) ++missing;
      worst = std::max(worst, undrawn);
    }
    EXPECT_GT(worst, 0u);
    EXPECT_LE(missing, std::max(every, latency) - 1 + latency) << "latency " << latency;
  }
}

// Shows that a hidden object that nobody asked about for long is drawn again: the stale answer is not taken
// for the present.
TEST(Visibility, StaleAnswersExpire) {
  Visibility visibility({.objects = 3, .stale_after_frames = 10});
  hide(visibility, 2);
  const std::uint32_t age = visibility.age(2);
  for (std::uint32_t i = age; i < 10; ++i) {
    visibility.begin_frame(5);
    visibility.end_frame();
    EXPECT_FALSE(visibility.visible(2));
  }
  visibility.begin_frame(5);
  EXPECT_TRUE(visibility.visible(2));
  EXPECT_EQ(visibility.age(2), Visibility::never);
  EXPECT_EQ(visibility.hidden(), 0u);
}

// Shows that with less room than wishes the skipped ones are counted, asked first in the next frame, and that
// all get their turn.
TEST(Visibility, SkippedOnesAreCountedAndAskedNext) {
  constexpr std::uint32_t count = 100, room = 30;
  Visibility visibility({.objects = count});
  std::vector<std::uint32_t> tested_in(count, 0xFFFFFFFFu);
  for (std::uint32_t frame = 0; frame < 4; ++frame) {
    visibility.begin_frame(room);
    // The early ids ask first each time and are due each time; they must not starve the others.
    for (std::uint32_t id = 0; id < count; ++id) {
      if (visibility.ask(id) != Ask::test) continue;
      tested_in[id] = std::min(tested_in[id], frame);
      visibility.forget(id);
      visibility.answer(id, visibility.frame(), 1);
    }
    EXPECT_EQ(visibility.tested(), room) << "frame " << frame;
    EXPECT_EQ(visibility.skipped(), count - room) << "frame " << frame;
    visibility.end_frame();
  }
  for (std::uint32_t id = 0; id < count; ++id) EXPECT_EQ(tested_in[id], id / room) << "object " << id;
  EXPECT_EQ(visibility.latency().verdicts()[Verdict::no_free_slot], 4u * (count - room));
  EXPECT_EQ(wishes(visibility), 4u * count);
}

// Shows that an object that waits for its turn and leaves the view keeps no query from the others.
TEST(Visibility, ATurnNotTakenLapses) {
  Visibility visibility({.objects = 20});
  visibility.begin_frame(5);
  for (std::uint32_t id = 0; id < 20; ++id) visibility.ask(id);
  visibility.end_frame();
  // 5 to 9 would have their turn in this frame, and do not come.
  visibility.begin_frame(5);
  for (std::uint32_t id = 15; id < 20; ++id) EXPECT_EQ(visibility.ask(id), Ask::no_room);
  visibility.end_frame();
  // Now nobody but the ones of the last frame counts as waiting.
  visibility.begin_frame(5);
  for (std::uint32_t id = 15; id < 20; ++id) EXPECT_EQ(visibility.ask(id), Ask::test) << id;
  visibility.end_frame();
}

// Shows that a wish is counted once a frame, however often it is repeated.
TEST(Visibility, AskingTwiceSkipsOnce) {
  Visibility visibility({.objects = 2});
  visibility.begin_frame(0);
  EXPECT_EQ(visibility.ask(0), Ask::no_room);
  EXPECT_EQ(visibility.ask(0), Ask::no_room);
  EXPECT_EQ(visibility.skipped(), 1u);
  visibility.end_frame();
  visibility.begin_frame(1);
  EXPECT_EQ(visibility.ask(0), Ask::test);
  EXPECT_EQ(visibility.ask(0), Ask::in_flight);
  EXPECT_EQ(visibility.tested(), 1u);
}

// Shows that a test given up leaves the object as it was and that it may be asked again.
TEST(Visibility, RejectedTestsKeepTheState) {
  Visibility visibility({.objects = 1, .retest_hidden_every = 1});
  hide(visibility, 0);
  visibility.begin_frame(1);
  ASSERT_EQ(visibility.ask(0), Ask::test);
  visibility.reject(0, visibility.frame(), Verdict::late);
  EXPECT_FALSE(visibility.visible(0));
  EXPECT_EQ(visibility.in_flight(), 0u);
  EXPECT_EQ(visibility.latency().verdicts()[Verdict::late], 1u);
  EXPECT_EQ(visibility.ask(0), Ask::not_due) << "not twice in one frame";
  visibility.end_frame();
  visibility.begin_frame(1);
  EXPECT_EQ(visibility.ask(0), Ask::test);
}

// Shows that an answer to a question from before a forget() does not speak for the object that has the id
// now.
TEST(Visibility, AnswersFromBeforeAForgetAreIgnored) {
  Visibility visibility({.objects = 1});
  visibility.begin_frame(2);
  ASSERT_EQ(visibility.ask(0), Ask::test);
  visibility.end_frame();
  visibility.forget(0);
  visibility.begin_frame(2);
  ASSERT_EQ(visibility.ask(0), Ask::test);
  visibility.end_frame();
  visibility.answer(0, 0, 0);
  EXPECT_EQ(visibility.age(0), Visibility::never);
  EXPECT_EQ(visibility.in_flight(), 1u);
  visibility.answer(0, 1, 0);
  EXPECT_EQ(visibility.age(0), 0u);
  EXPECT_EQ(visibility.in_flight(), 0u);
}

// Shows that after a loss all is unknown, which is visible, and what was in flight is counted as lost.
TEST(Visibility, LossMakesEverythingUnknown) {
  Visibility visibility({.objects = 10});
  hide(visibility, 3);
  visibility.begin_frame(10);
  for (std::uint32_t id = 4; id < 8; ++id) ASSERT_EQ(visibility.ask(id), Ask::test);
  visibility.end_frame();
  visibility.lose();
  for (std::uint32_t id = 0; id < 10; ++id) EXPECT_TRUE(visibility.visible(id));
  EXPECT_EQ(visibility.in_flight(), 0u);
  EXPECT_EQ(visibility.hidden(), 0u);
  EXPECT_EQ(visibility.latency().verdicts()[Verdict::lost], 4u);
  visibility.begin_frame(10);
  EXPECT_EQ(visibility.ask(3), Ask::test);
}

// Shows that what answers after a loss, to a test from before it, is neither counted nor believed.
TEST(Case18, AnswersAfterALossAreIgnored) {
  Visibility visibility({.objects = 4, .hide_after = 1});
  visibility.begin_frame(4);
  for (const std::uint32_t id : {0u, 1u}) ASSERT_EQ(visibility.ask(id), Ask::test);
  visibility.lose();
  visibility.end_frame();
  visibility.begin_frame(4);
  for (const std::uint32_t id : {0u, 2u}) ASSERT_EQ(visibility.ask(id), Ask::test);
  visibility.answer(0, 0, 0);
  visibility.reject(1, 0, Verdict::late);
  EXPECT_TRUE(visibility.visible(0));
  EXPECT_EQ(visibility.in_flight(), 2u);
  EXPECT_EQ(visibility.latency().accepted(), 0u);
  EXPECT_EQ(visibility.latency().verdicts().rejected(), 2u);
  visibility.answer(0, 1, 0);
  EXPECT_FALSE(visibility.visible(0));
  EXPECT_EQ(visibility.latency().accepted(), 1u);
}

// Shows the documented answers to misuse: counted each time, logged once, nothing else changed.
TEST(Visibility, MisuseIsCountedAndLoggedOnce) {
  Log log;
  Visibility visibility({.objects = 4, .log = log.callback()});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(visibility.visible(4));
    EXPECT_EQ(visibility.age(99), Visibility::never);
    EXPECT_EQ(visibility.ask(0), Ask::refused) << "outside a frame";
    visibility.end_frame();
  }
  visibility.begin_frame(1);
  EXPECT_EQ(visibility.ask(4), Ask::refused);
  visibility.begin_frame(1);
  visibility.end_frame();
  visibility.answer(4, 0, 1);
  visibility.forget(4);
  EXPECT_EQ(visibility.diagnostics().count(Diagnostic::unknown_object), 9u);
  EXPECT_EQ(visibility.diagnostics().count(Diagnostic::scope_outside_frame), 3u);
  EXPECT_EQ(visibility.diagnostics().count(Diagnostic::end_without_begin), 3u);
  EXPECT_EQ(visibility.diagnostics().count(Diagnostic::frame_begun_twice), 1u);
  for (const Diagnostic diagnostic : {Diagnostic::unknown_object, Diagnostic::scope_outside_frame,
                                      Diagnostic::end_without_begin, Diagnostic::frame_begun_twice}) {
    EXPECT_EQ(log.count(diagnostic), 1u) << to_string(diagnostic);
  }
}

// Shows that values out of range are replaced by the nearest valid ones, and said.
TEST(Visibility, ConfigOutOfRangeIsReplaced) {
  Log log;
  Visibility visibility({.objects = 0xFFFFFFFFu, .hide_after = 300, .ema_alpha = 7, .log = log.callback()});
  EXPECT_EQ(visibility.objects(), 1u << 20);
  EXPECT_EQ(visibility.config().hide_after, 255u);
  EXPECT_EQ(visibility.latency().alpha(), 1.0);
  EXPECT_EQ(log.count(Diagnostic::bad_config), 1u);

  Visibility none({});
  none.begin_frame(1);
  EXPECT_TRUE(none.visible(0));
  EXPECT_EQ(none.ask(0), Ask::refused);
}

// Shows the rows that a report gets.
TEST(Visibility, AppendsItsRowsToAReport) {
  Visibility visibility({.objects = 2, .name = "city"});
  hide(visibility, 0);
  visibility.begin_frame(1);
  visibility.ask(1);
  visibility.end_frame();
  Report report;
  visibility.append_to(report);
  ASSERT_NE(report.find("city tested"), nullptr);
  EXPECT_EQ(report.find("city tested")->unit, Unit::count);
  EXPECT_EQ(report.find("city tested")->last, 1.0);
  EXPECT_EQ(report.find("city hidden")->last, 1.0);
  EXPECT_EQ(report.find("city skipped")->last, 0.0);
  EXPECT_EQ(report.find("city latency")->last, 0.0);
  EXPECT_EQ(report.find("city latency")->in_flight, 1u);
}

// Shows, with wishes, answers, losses and forgets at random, that no wish goes uncounted, that the room is
// never exceeded, that no more objects count as hidden than are, and that a frame allocates nothing.
TEST(Visibility, RandomUseKeepsTheBooks) {
  constexpr std::uint32_t count = 10000, cap = 1500;
  Visibility visibility({.objects = count, .stale_after_frames = 40});
  struct Asked {
    std::uint32_t object;
    std::uint64_t frame;
  };
  std::vector<Asked> pending;
  pending.reserve(2 * cap);
  std::minstd_rand engine(7);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  std::uint64_t expected_wishes = 0;
  std::uint64_t allocations = 0;
  for (int frame = 0; frame < 400; ++frame) {
    const std::uint64_t before = testing::thread_allocation_count();
    const std::uint32_t room = cap - static_cast<std::uint32_t>(pending.size());
    visibility.begin_frame(room);
    for (std::size_t i = pending.size(); i-- > 0;) {
      const std::uint32_t roll = random() % 8;
      if (roll < 3) continue;
      if (roll == 3) {
        visibility.reject(pending[i].object, pending[i].frame, Verdict::late);
      } else {
        visibility.answer(pending[i].object, pending[i].frame, pending[i].object % 3);
      }
      pending[i] = pending.back();
      pending.pop_back();
    }
    const std::uint32_t begin = random() % count;
    for (std::uint32_t i = 0; i < count / 2; ++i) {
      const std::uint32_t id = (begin + i) % count;
      if (visibility.ask(id) == Ask::test) pending.push_back({id, visibility.frame()});
    }
    if (random() % 16 == 0) visibility.forget(random() % count);
    if (frame == 200) {
      visibility.lose();
      pending.clear();
    }
    ASSERT_LE(visibility.tested(), room);
    expected_wishes += visibility.tested() + visibility.skipped();
    visibility.end_frame();
    allocations += testing::thread_allocation_count() - before;
    ASSERT_EQ(visibility.in_flight(), pending.size());
    ASSERT_EQ(wishes(visibility), expected_wishes);
    std::uint32_t hidden = 0;
    for (std::uint32_t id = 0; id < count; ++id) {
      if (visibility.visible(id)) continue;
      ++hidden;
      ASSERT_EQ(id % 3, 0u) << "hidden although it always had samples";
      ASSERT_LE(visibility.age(id), 40u);
    }
    ASSERT_EQ(visibility.hidden(), hidden);
  }
  EXPECT_EQ(allocations, 0u);
}

}  // namespace
}  // namespace passmeter
