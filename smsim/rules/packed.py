"""Small numbers, 0 to 63, eight to a word, each in a byte of which a bit stays free: they are compared all at once."""

from smsim.rules.rule import rule

BYTE = 8  # bits, and as many numbers in a word
ONES = 0x0101010101010101  # times a number: that number in every place
FREE_BITS = 0x4040404040404040
LARGEST = 0x3F3F3F3F3F3F3F3F


@rule
def where_equal(word: int, number: int) -> int:
    """The free bits of the places that have this number."""
    return ~((word ^ number * ONES) + LARGEST) & FREE_BITS


@rule
def where_less(word: int, number: int) -> int:
    """The free bits of the places that have less."""
    return ~((word | FREE_BITS) - number * ONES) & FREE_BITS


@rule
def where_more(word: int, number: int) -> int:
    """The free bits of the places that have more."""
    return ~where_less(word, number + 1) & FREE_BITS


@rule
def add_one(word: int, free_bits: int) -> int:
    """The word with one more in the places whose free bits these are."""
    return word + (free_bits >> BYTE - 2)


@rule
def take_one(word: int, free_bits: int) -> int:
    """The word with one less in the places whose free bits these are."""
    return word - (free_bits >> BYTE - 2)
