#include "agentd/model/numbered_texts.hpp"

#include <gtest/gtest.h>

namespace trellis {
namespace {

TEST(NumberedTexts, EachTextHasOneNumberHoweverManyCome) {
    NumberedTexts texts;
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < 10'000; ++i)
            ASSERT_EQ(texts.number_of(std::to_string(i)), i);
    for (std::size_t i = 0; i < 10'000; ++i)
        ASSERT_EQ(texts.text_of(i), std::to_string(i));
}

TEST(NumberedTexts, TheEmptyTextAndZeroBytesAreTextsLikeOthers) {
    using namespace std::string_view_literals;
    NumberedTexts texts;
    EXPECT_EQ(texts.number_of("a\0b"sv), 0U);
    EXPECT_EQ(texts.number_of(""), 1U);
    EXPECT_EQ(texts.number_of("a"), 2U);
    EXPECT_EQ(texts.number_of(""), 1U);
    EXPECT_EQ(texts.text_of(0), "a\0b"sv);
    EXPECT_EQ(texts.text_of(1), "");
}

}  // namespace
}  // namespace trellis
