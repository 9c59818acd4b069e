"""Pictures from files and archives, in every way they are stored."""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from proband.algorithms import Pictures, read_picture
from proband.errors import InputError, ProbandError
from proband.samples import Samples

GREY = np.random.default_rng(0).integers(0, 256, (20, 16)).astype(np.uint8)
SMOOTH = np.add.outer(np.arange(20) * 6, np.arange(16) * 8).astype(np.uint8)
TABLE = Samples({"id": ["1", "2", "3"], "subject": ["a", "b", "c"]})
THREE = np.stack([np.full((5, 4), level, dtype=np.uint8) for level in (10, 20, 30)])


def levels(source: Path, samples: Samples = TABLE) -> list[int]:
    """The grey levels of the pictures of 1, 2 and 3."""
    pictures = Pictures.of(source, samples)
    return [int(pictures.load(name)[0, 0]) for name in samples.ids]


# Files


@pytest.mark.parametrize("ending", [".png", ".pgm", ".tif", ".tiff", ".bmp", ".PNG"])
def test_grey_pictures_without_loss(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"picture{ending}"
    Image.fromarray(GREY).save(path)
    picture = read_picture(path)
    assert picture.dtype == np.uint8
    assert np.array_equal(picture, GREY)


@pytest.mark.parametrize("ending", [".jpg", ".jpeg"])
def test_jpeg_pictures(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"picture{ending}"
    Image.fromarray(SMOOTH).save(path, quality=95)
    assert np.abs(read_picture(path).astype(int) - SMOOTH).max() < 8


@pytest.mark.parametrize("ending", [".tif", ".png", ".pgm"])
def test_16_bits_are_scaled_to_8(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"deep{ending}"
    Image.fromarray(GREY.astype(np.uint16) * 257).save(path)
    assert np.array_equal(read_picture(path), GREY)


def test_a_pgm_of_12_bits_is_scaled_by_its_own_maximum(tmp_path: Path) -> None:
    deep = np.rint(GREY.astype(np.float64) * 4095 / 255).astype(">u2")
    (tmp_path / "deep.pgm").write_bytes(b"P5\n16 20\n4095\n" + deep.tobytes())
    assert np.array_equal(read_picture(tmp_path / "deep.pgm"), GREY)


def test_colour_becomes_luminance(tmp_path: Path) -> None:
    colour = np.random.default_rng(1).integers(0, 256, (20, 16, 3)).astype(np.uint8)
    Image.fromarray(colour).save(tmp_path / "colour.png")
    expected = colour @ np.array([0.299, 0.587, 0.114])
    assert np.abs(read_picture(tmp_path / "colour.png") - expected).max() <= 1


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparency_is_left_aside(tmp_path: Path, mode: str) -> None:
    picture = Image.fromarray(GREY).convert(mode)
    picture.putalpha(Image.fromarray(GREY.T.reshape(20, 16).copy()))
    picture.save(tmp_path / "clear.png")
    assert np.array_equal(read_picture(tmp_path / "clear.png"), GREY)


def test_palettes_are_looked_up(tmp_path: Path) -> None:
    picture = Image.fromarray((GREY // 64).astype(np.uint8)).convert("P")
    picture.putpalette([level for shade in (5, 90, 180, 250) for level in (shade,) * 3])
    picture.save(tmp_path / "palette.png")
    assert np.array_equal(read_picture(tmp_path / "palette.png"), np.array([5, 90, 180, 250])[GREY // 64])


# Regression: a palette with a degree of transparency for each colour makes Pillow warn; convert("RGBA") first does
# not.
def test_a_transparent_palette_is_read_without_a_warning(tmp_path: Path) -> None:
    picture = Image.fromarray(GREY).convert("P")
    picture.save(tmp_path / "palette.png", transparency=bytes(range(256)))
    assert np.array_equal(read_picture(tmp_path / "palette.png"), GREY)


@pytest.mark.parametrize("ending", [".png", ".tif", ".pbm", ".bmp"])
def test_one_bit_is_black_or_white(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"ink{ending}"
    Image.fromarray(GREY > 127).save(path)
    assert np.array_equal(read_picture(path), np.where(GREY > 127, 255, 0))


def test_grey_values_beyond_16_bits_are_refused(tmp_path: Path) -> None:
    for name, values in (
        ("large.tif", GREY.astype(np.int32) * 1000),
        ("negative.tif", -GREY.astype(np.int32)),
    ):
        Image.fromarray(values).save(tmp_path / name)
        with pytest.raises(InputError, match=f"{name} has grey values beyond 16 bits"):
            read_picture(tmp_path / name)


# Regression: floats are taken for grey values of 16 bits: a picture between 0 and 1 becomes all black, one with
# NaN nonsense.
@pytest.mark.parametrize(
    "values", [GREY / 255, np.where(GREY > 250, np.nan, GREY * 257.0)], ids=["0 to 1", "NaN"]
)
def test_a_picture_of_floats_is_refused(tmp_path: Path, values: np.ndarray) -> None:
    Image.fromarray(values.astype(np.float32)).save(tmp_path / "floats.tif")
    with pytest.raises(InputError, match=r"floats\.tif"):
        read_picture(tmp_path / "floats.tif")


@pytest.mark.parametrize(
    "content", [b"", b"not a picture", b"\x89PNG\r\n\x1a\n", b"P5\n16 20\n255\nabc", b"II*\0"]
)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "broken.png").write_bytes(content)
    with pytest.raises(InputError, match=r"broken\.png cannot be read as an image"):
        read_picture(tmp_path / "broken.png")


def test_files_that_are_missing_or_no_files_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.png", tmp_path):
        with pytest.raises(InputError, match="cannot be read as an image"):
            read_picture(path)


def test_a_picture_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.fromarray(GREY).save(tmp_path / "bomb.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(InputError, match=r"bomb\.png"):
        read_picture(tmp_path / "bomb.png")


@pytest.mark.parametrize("ending", [".png", ".tif", ".jpg", ".pgm", ".bmp"])
def test_damage_of_any_kind_is_refused_or_read(tmp_path: Path, ending: str) -> None:
    """Whatever is wrong with a file, nothing but our own error comes out."""
    whole, path = tmp_path / f"whole{ending}", tmp_path / f"damaged{ending}"
    Image.fromarray(np.stack([GREY] * 3, axis=2)).save(whole)
    content, rng = whole.read_bytes(), np.random.default_rng(2)
    for _ in range(60):
        damaged = bytearray(content)
        for place in rng.integers(0, len(damaged), 4):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged[: rng.integers(1, 2 * len(damaged))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's, of odd but readable files
            with suppress(InputError):
                assert read_picture(path).dtype == np.uint8


# Directories


def test_files_are_found_by_the_samples_names(tmp_path: Path) -> None:
    for image, name in zip(THREE, ("1.png", "2.PGM", "3.tiff"), strict=True):
        Image.fromarray(image).save(tmp_path / name)
    (tmp_path / "1").mkdir()  # a directory of that name is no picture
    assert levels(tmp_path) == [10, 20, 30]
    with pytest.raises(InputError, match="no image 'x'"):
        Pictures.of(tmp_path, TABLE).load("x")


def test_a_samples_name_may_have_the_ending(tmp_path: Path) -> None:
    Image.fromarray(THREE[1]).save(tmp_path / "me.png")
    assert levels(tmp_path, Samples({"id": ["me.png"], "subject": ["a"]})) == [20]


def test_files_are_found_by_a_column(tmp_path: Path) -> None:
    (tmp_path / "session").mkdir()
    table = {"id": ["1", "2", "3"], "subject": ["a", "b", "c"], "file": ["session/x.png", "y.png", None]}
    for image, file in zip(THREE, ("session/x.png", "y.png", "3.png"), strict=True):
        Image.fromarray(image).save(tmp_path / file)
    pictures = Pictures.of(tmp_path, Samples(table))
    assert [int(pictures.load(name)[0, 0]) for name in "12"] == [10, 20]
    with pytest.raises(InputError, match="has no file name for '3'"):
        pictures.load("3")
    other = Pictures.of(tmp_path, Samples({**table, "scan": ["y.png"] * 3}), "scan")
    assert [int(other.load(name)[0, 0]) for name in "123"] == [20, 20, 20]


# Regression: Path.is_file raises OSError for a name that is too long, which stops the whole run.
def test_a_name_too_long_for_a_file_is_refused(tmp_path: Path) -> None:
    name = "x" * 300
    with pytest.raises(ProbandError):
        Pictures.of(tmp_path, Samples({"id": [name], "subject": ["a"]})).load(name)


def test_what_is_neither_directory_nor_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images.zip").write_bytes(b"")
    for source in (tmp_path / "images.zip", tmp_path / "nowhere", tmp_path / "nowhere.npz"):
        with pytest.raises(InputError, match="neither a directory of images nor an"):
            Pictures.of(source, TABLE)


# Archives


def test_pictures_of_an_archive_are_found_by_its_ids(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, ids=["3", "1", "2"], place=["x", "y", "z"])
    assert levels(tmp_path / "images.npz") == [20, 30, 10]
    with pytest.raises(InputError, match=r"images\.npz has no image of 'x'"):
        Pictures.of(tmp_path / "images.npz", TABLE).load("x")


def test_the_only_texts_that_tell_pictures_apart_are_the_ids(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, filename=["3", "1", "2"], sex=["f", "m", "f"])
    assert levels(tmp_path / "images.npz") == [20, 30, 10]
    np.savez(tmp_path / "images.npz", images=THREE, filename=["3", "1", "2"], place=["x", "y", "z"])
    with pytest.raises(InputError, match="which of filename, place contains the ids"):
        Pictures.of(tmp_path / "images.npz", TABLE)


def test_without_ids_pictures_stand_as_in_the_table(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, sex=["f", "m", "f"])
    assert levels(tmp_path / "images.npz") == [10, 20, 30]
    np.savez(tmp_path / "images.npz", images=THREE[:2])
    with pytest.raises(InputError, match="2 images without ids, but the table has 3 samples"):
        Pictures.of(tmp_path / "images.npz", TABLE)


# Regression: ids that are not text are overlooked, and pictures are silently given to the wrong people by their
# order.
@pytest.mark.parametrize("ids", [np.array([3, 1, 2]), np.array([b"3", b"1", b"2"])], ids=["numbers", "bytes"])
def test_ids_of_an_archive_may_be_numbers_or_bytes(tmp_path: Path, ids: np.ndarray) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, ids=ids)
    assert levels(tmp_path / "images.npz") == [20, 30, 10]


# Regression: of two pictures with one id the second silently wins.
def test_ids_of_an_archive_must_not_repeat(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, ids=["1", "2", "2"])
    with pytest.raises(InputError, match="'2'"):
        Pictures.of(tmp_path / "images.npz", TABLE)


# Regression: bytes that are not UTF-8 come out as a UnicodeDecodeError.
def test_ids_of_an_archive_that_are_no_text_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE, ids=np.array([b"\xff", b"b", b"c"]))
    with pytest.raises(InputError):
        Pictures.of(tmp_path / "images.npz", TABLE)


def test_16_bits_of_an_archive_are_scaled_to_8(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=THREE.astype(np.uint16) * 257)
    assert levels(tmp_path / "images.npz") == [10, 20, 30]


# Regression: 16 bits in the other byte order are refused for not having 8 or 16 bits.
def test_16_bits_of_the_other_byte_order_are_scaled_too(tmp_path: Path) -> None:
    np.savez(tmp_path / "images.npz", images=(THREE.astype(np.uint16) * 257).astype(">u2"))
    assert levels(tmp_path / "images.npz") == [10, 20, 30]


@pytest.mark.parametrize(
    "arrays",
    [
        {"images": THREE.astype(np.float32)},
        {"images": THREE.astype(np.int64)},
        {"images": np.stack([THREE] * 3, axis=3)},
        {"images": THREE[0]},
        {"pictures": THREE},
    ],
    ids=["floats", "whole numbers", "colour", "one picture", "another name"],
)
def test_archives_without_pictures_are_refused(tmp_path: Path, arrays: dict) -> None:
    np.savez(tmp_path / "images.npz", **arrays)
    with pytest.raises(InputError, match=r"images\.npz"):
        Pictures.of(tmp_path / "images.npz", TABLE)


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "images.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(InputError, match=r"images\.npz"):
        Pictures.of(tmp_path / "images.npz", TABLE)


# Files made to harm


def test_no_byte_of_a_tiff_lets_anything_out_but_our_own_error(tmp_path: Path) -> None:
    """A tag of another type makes Pillow raise what nobody expects of a reader of files."""
    path = tmp_path / "damaged.tif"
    Image.fromarray(GREY).save(path)
    content = path.read_bytes()
    for place in range(8, len(content) - GREY.size):
        for value in (0, 12, 255):
            path.write_bytes(content[:place] + bytes([value]) + content[place + 1 :])
            with warnings.catch_warnings(), suppress(InputError):
                warnings.simplefilter("ignore")
                read_picture(path)


@pytest.mark.parametrize("side", [9_500, 14_000])
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(tmp_path: Path, side: int) -> None:
    path = tmp_path / "large.png"
    Image.new("1", (side, side)).save(path)
    assert path.stat().st_size < 100_000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(InputError, match=r"large\.png"):
            read_picture(path)


def test_no_other_program_is_started_for_a_picture(tmp_path: Path) -> None:
    """Pillow hands PostScript to Ghostscript, whatever the file is called."""
    Image.fromarray(GREY).save(tmp_path / "page.eps")
    (tmp_path / "page.eps").rename(tmp_path / "face.png")
    with pytest.raises(InputError, match="cannot identify"):
        read_picture(tmp_path / "face.png")
