"""Vectorised inner loops: sums over two vectors, and additions of the bits of 512 trials at a time.

By itself, the compiler adds the partial sums of a fixed order one by one, and compiles loops over small arrays with checks
for overlapping memory at every step, which cost more than the work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from proband.kernels.codes import SCREEN_LANES

WORDS = 8  # 64-bit words processed together
LOW = 10  # distinguished ranks
GROUP = 4  # rivals counted together
PLANES = 4  # binary digits of a count of rivals; above 15 it is only known to be too large

_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(_INDEX, WORDS)


def _in_lanes(lanes: int, own_precision: bool, term: Callable[[Any, Any, Any], Any]) -> Any:
    """Make a function of two vectors that sums terms in `lanes` partial sums, combined pairwise at the end.

    Partial sum l has the terms l, l + lanes, …; those beyond the last whole run are added to the first. The order is fixed,
    so the sum is bit-identical on every machine. It is computed in float64, or in the precision of the vectors.
    """

    @intrinsic
    def total(typing, x, y):
        for one in (x, y):
            if not (isinstance(one, types.Array) and one.ndim == 1 and one.layout == "C"):
                return None
        result = max(x.dtype, y.dtype, key=lambda kind: kind.bitwidth) if own_precision else types.float64

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            number = ir.FloatType() if result == types.float32 else ir.DoubleType()
            vector = ir.VectorType(number, lanes)
            arrays = [
                context.make_array(kind)(context, builder, value=value)
                for kind, value in zip(signature.args, arguments, strict=True)
            ]
            n = builder.extract_value(arrays[0].shape, 0)
            whole = builder.sub(n, builder.urem(n, ir.Constant(_INDEX, lanes)))

            def loaded(array: Any, place: Any, width: int) -> Any:
                stored = array.data.type.pointee
                wanted: Any = number
                if width > 1:
                    stored, wanted = ir.VectorType(stored, width), vector
                pointer = builder.bitcast(builder.gep(array.data, [place]), stored.as_pointer())
                value = builder.load(pointer, align=array.data.type.pointee.get_abi_size(context.target_data))
                return value if stored == wanted else builder.fpext(value, wanted)

            def added(sums: Any, place: Any, width: int) -> Any:
                return builder.fadd(sums, term(builder, *(loaded(array, place, width) for array in arrays)))

            held = cgutils.alloca_once(builder, vector)
            builder.store(ir.Constant(vector, [0.0] * lanes), held)
            zero, step = ir.Constant(_INDEX, 0), ir.Constant(_INDEX, lanes)
            with cgutils.for_range_slice(builder, zero, whole, step) as (place, _):
                builder.store(added(builder.load(held), place, lanes), held)
            sums = builder.load(held)
            parts = [
                builder.extract_element(sums, ir.Constant(ir.IntType(32), lane)) for lane in range(lanes)
            ]
            first = cgutils.alloca_once_value(builder, parts[0])
            with cgutils.for_range_slice(builder, whole, n, ir.Constant(_INDEX, 1)) as (place, _):
                builder.store(added(builder.load(first), place, 1), first)
            parts[0] = builder.load(first)
            while len(parts) > 1:
                parts = [builder.fadd(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
            return parts[0]

        return result(x, y), generate

    return total


def _product(builder: Any, x: Any, y: Any) -> Any:
    return builder.fmul(x, y)


def _square(builder: Any, x: Any, y: Any) -> Any:
    difference = builder.fsub(x, y)
    return builder.fmul(difference, difference)


def _size(builder: Any, x: Any, y: Any) -> Any:
    difference = builder.fsub(x, y)
    below = builder.fcmp_ordered("<", difference, ir.Constant(difference.type, _zeros(difference.type)))
    return builder.select(below, builder.fneg(difference), difference)


def _zeros(kind: Any) -> Any:
    return [0.0] * kind.count if isinstance(kind, ir.VectorType) else 0.0


sum_of_products = _in_lanes(8, False, _product)
sum_of_squares = _in_lanes(4, False, _square)
sum_of_sizes = _in_lanes(4, False, _size)
quick_sum_of_products = _in_lanes(SCREEN_LANES, True, _product)


@intrinsic
def popcount(typing, word):
    """Count the bits set in a 64-bit word, by the single instruction that the compiler would not find."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def find_places(
    typing, places, masks, options, subsets, beyond, level_option, level_end, entry_starts, entry_masks, entry_subsets,
    first_level, last_level, first_group, last_group,
):  # fmt: skip
    """Find in which of 512 trials a person has each of the ranks 1 … `LOW`; trials in ``beyond`` have none.

    The person's usable choices are ``level_option[first_level:last_level]``, by probe image and from the closest mate down;
    ``options`` has the trials of each. Masks combine these: the trials of a level and of those below with its probe image.
    Rivals come in groups of `GROUP`, and entry e of a group has one for each of them. A rival beats the mate in the trials of
    ``OR of masks[entry_masks[e, rival]] & subsets[entry_subsets[e, rival]]`` over the entries ``entry_starts[g] …
    entry_starts[g + 1] - 1`` of its group.
    """
    signature = types.void(
        places, masks, options, subsets, beyond, level_option, level_end, entry_starts, entry_masks, entry_subsets,
        first_level, last_level, first_group, last_group,
    )  # fmt: skip

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(place: int) -> Any:
            array = context.make_array(signature.args[place])
            return array(context, builder, value=arguments[place]).data

        def vectors(place: int) -> Any:
            return builder.bitcast(data(place), _VECTOR.as_pointer())

        def vector_at(base: Any, place: Any) -> Any:
            return builder.load(builder.gep(base, [place]), align=8)

        def keep(value: Any, base: Any, place: Any) -> None:
            builder.store(value, builder.gep(base, [place]), align=8)

        def element(base: Any, place: Any) -> Any:
            value = builder.load(builder.gep(base, [place]))
            return value if value.type.width == 64 else builder.zext(value, _INDEX)

        def number(value: int) -> Any:
            return ir.Constant(_INDEX, value)

        def held(value: int) -> Any:
            return cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [value] * WORDS))

        def added(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
            """The sum of three bits, and the carry."""
            unlike = builder.xor(x, y)
            carried = builder.or_(builder.and_(unlike, z), builder.and_(builder.not_(unlike), x))
            return builder.xor(unlike, z), carried

        found, mask_rows, option_rows, subset_rows, not_there = map(vectors, range(5))
        option, end, starts, entry_mask, entry_subset = map(data, range(5, 10))
        first_level, last_level, first_group, last_group = arguments[10:]
        one, several = number(1), number(GROUP)

        unchosen, below = held(-1), held(0)  # a trial with an unusable choice has no rank
        with cgutils.for_range_slice(builder, first_level, last_level, one) as (level, _):
            place = builder.sub(builder.sub(builder.add(first_level, last_level), level), one)
            chosen = vector_at(option_rows, element(option, place))
            builder.store(builder.and_(builder.load(unchosen), builder.not_(chosen)), unchosen)
            last_of_probe = builder.icmp_unsigned("!=", element(end, place), number(0))
            mask = builder.select(last_of_probe, chosen, builder.or_(chosen, builder.load(below)))
            builder.store(mask, below)
            keep(mask, mask_rows, builder.sub(place, first_level))

        counters, beaten = [held(0) for _ in range(PLANES)], [held(0) for _ in range(GROUP)]
        too_many = cgutils.alloca_once_value(
            builder, builder.or_(builder.load(unchosen), vector_at(not_there, number(0)))
        )
        with cgutils.for_range_slice(builder, first_group, last_group, one) as (group, _):
            for rival in beaten:
                builder.store(ir.Constant(_VECTOR, [0] * WORDS), rival)
            begin, stop = (
                builder.mul(element(starts, place), several) for place in (group, builder.add(group, one))
            )
            with cgutils.for_range_slice(builder, begin, stop, several) as (entry, _):
                for lane, rival in enumerate(beaten):
                    at = builder.add(entry, number(lane))
                    mask = vector_at(mask_rows, element(entry_mask, at))
                    subset = vector_at(subset_rows, element(entry_subset, at))
                    builder.store(builder.or_(builder.load(rival), builder.and_(mask, subset)), rival)
            # Four bits and the first digit of a counter are added together, in half the time of one by one.
            a, b, c, d = map(builder.load, beaten)
            total, low = added(a, b, builder.load(counters[0]))
            total, high = added(c, d, total)
            builder.store(total, counters[0])
            total, carry = added(low, high, builder.load(counters[1]))
            builder.store(total, counters[1])
            for counter in counters[2:]:
                old = builder.load(counter)
                builder.store(builder.xor(old, carry), counter)
                carry = builder.and_(old, carry)
            builder.store(builder.or_(builder.load(too_many), carry), too_many)

        digits = [builder.load(counter) for counter in counters]
        few = builder.not_(builder.load(too_many))
        for rivals in range(LOW):
            same = few
            for digit, bits in enumerate(digits):
                same = builder.and_(same, bits if rivals >> digit & 1 else builder.not_(bits))
            keep(same, found, number(rivals))
        return context.get_dummy_value()

    return signature, generate
