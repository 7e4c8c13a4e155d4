"""HFiles: files of sorted key-value pairs, the format of Hudi's metadata table."""

from hoodoo.format.hfile.block import Codec
from hoodoo.format.hfile.cells import Cells
from hoodoo.format.hfile.reader import HFile, open_hfile
from hoodoo.format.hfile.source import HFileSource
from hoodoo.format.hfile.writer import HFileWriter, hfile_bytes

__all__ = ["Cells", "Codec", "HFile", "HFileSource", "HFileWriter", "hfile_bytes", "open_hfile"]
