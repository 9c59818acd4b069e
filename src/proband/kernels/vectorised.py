"""Adding bits of 512 trials at a time: the inner loop of the bit-sliced kernel, in vectors the compiler keeps in registers.

Loops over small arrays would be compiled with checks for overlapping memory at every step, which cost more than the work.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORDS = 8  # 64-bit words that are handled together
PLANES = 4  # binary digits of a count of rivals; beyond 15 it is only known to be too many

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(_INDEX, WORDS)


@intrinsic
def popcount(typing, word):
    """How many bits of a 64-bit word are set: one instruction, where the compiler would not find it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def add_rivals(typing, planes, masks, subsets, entry_starts, entry_masks, entry_subsets, first, last):
    """Count, for each of 512 trials, how many rivals beat the mate.

    A rival r beats it in the trials of ``OR of masks[entry_masks[e]] & subsets[entry_subsets[e]]`` over its entries
    ``entry_starts[r] … entry_starts[r + 1] - 1``. Each adds one to the binary counters ``planes[:PLANES]``; what
    overflows is kept in ``planes[PLANES]``.
    """
    signature = types.void(planes, masks, subsets, entry_starts, entry_masks, entry_subsets, first, last)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(place: int) -> Any:
            array = context.make_array(signature.args[place])
            return array(context, builder, value=arguments[place]).data

        def vectors(place: int) -> Any:
            return builder.bitcast(data(place), _VECTOR.as_pointer())

        def index(value: Any) -> Any:
            return value if value.type.width == 64 else builder.zext(value, _INDEX)

        def vector_at(base: Any, place: Any) -> Any:
            return builder.load(builder.gep(base, [place]), align=8)

        def element(base: Any, place: Any) -> Any:
            return index(builder.load(builder.gep(base, [place])))

        one = ir.Constant(_INDEX, 1)
        stored, mask_rows, subset_rows = vectors(0), vectors(1), vectors(2)
        starts, entry_mask, entry_subset = data(3), data(4), data(5)
        counters = [cgutils.alloca_once(builder, _VECTOR) for _ in range(PLANES + 1)]
        for digit, counter in enumerate(counters):
            builder.store(vector_at(stored, ir.Constant(_INDEX, digit)), counter)
        beaten = cgutils.alloca_once(builder, _VECTOR)
        with cgutils.for_range_slice(builder, arguments[6], arguments[7], one) as (rival, _):
            builder.store(ir.Constant(_VECTOR, [0] * WORDS), beaten)
            begin, end = element(starts, rival), element(starts, builder.add(rival, one))
            with cgutils.for_range_slice(builder, begin, end, one) as (entry, _):
                mask = vector_at(mask_rows, element(entry_mask, entry))
                subset = vector_at(subset_rows, element(entry_subset, entry))
                builder.store(builder.or_(builder.load(beaten), builder.and_(mask, subset)), beaten)
            carry = builder.load(beaten)
            for counter in counters[:-1]:
                old = builder.load(counter)
                builder.store(builder.xor(old, carry), counter)
                carry = builder.and_(old, carry)
            builder.store(builder.or_(builder.load(counters[-1]), carry), counters[-1])
        for digit, counter in enumerate(counters):
            builder.store(builder.load(counter), builder.gep(stored, [ir.Constant(_INDEX, digit)]), align=8)
        return context.get_dummy_value()

    return signature, generate
