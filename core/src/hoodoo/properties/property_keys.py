"""Keys of `hoodie.properties` that the code reads or writes, each once."""

from __future__ import annotations

# the table
TABLE_NAME = "hoodie.table.name"
DATABASE = "hoodie.database.name"
TABLE_TYPE = "hoodie.table.type"
TABLE_VERSION = "hoodie.table.version"
INITIAL_VERSION = "hoodie.table.initial.version"
TABLE_FORMAT = "hoodie.table.format"
TABLE_CHECKSUM = "hoodie.table.checksum"
CREATE_SCHEMA = "hoodie.table.create.schema"
BASE_FILE_FORMAT = "hoodie.table.base.file.format"
POPULATE_META_FIELDS = "hoodie.populate.meta.fields"
DROP_PARTITION_COLUMNS = "hoodie.datasource.write.drop.partition.columns"

# the timeline
LAYOUT_VERSION = "hoodie.timeline.layout.version"
TIMELINE_PATH = "hoodie.timeline.path"
HISTORY_PATH = "hoodie.timeline.history.path"
ARCHIVE_FOLDER = "hoodie.archivelog.folder"
TIMEZONE = "hoodie.table.timeline.timezone"

# the metadata table
METADATA_PARTITIONS = "hoodie.table.metadata.partitions"
METADATA_PARTITIONS_INFLIGHT = "hoodie.table.metadata.partitions.inflight"
INDEX_DEFINITIONS = "hoodie.table.index.defs.path"

# record keys and partition paths
RECORD_KEY_FIELDS = "hoodie.table.recordkey.fields"
PARTITION_FIELDS = "hoodie.table.partition.fields"
KEYGEN_CLASS = "hoodie.table.keygenerator.class"
KEYGEN_TYPE = "hoodie.table.keygenerator.type"
HIVE_STYLE = "hoodie.datasource.write.hive_style_partitioning"
URL_ENCODE = "hoodie.datasource.write.partitionpath.urlencode"
SLASH_DATE = "hoodie.datasource.write.slash.separated.date.partitioning"
CONSISTENT_TIMESTAMPS = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"

# the merge rule
ORDERING_FIELDS = "hoodie.table.ordering.fields"
PRECOMBINE_FIELD = "hoodie.table.precombine.field"
PAYLOAD_CLASS = "hoodie.compaction.payload.class"
LEGACY_PAYLOAD_CLASS = "hoodie.table.legacy.payload.class"
MERGE_MODE = "hoodie.record.merge.mode"
STRATEGY_ID = "hoodie.record.merge.strategy.id"
OLD_STRATEGY_ID = "hoodie.compaction.record.merger.strategy"
PARTIAL_UPDATE_MODE = "hoodie.table.partial.update.mode"
PAYLOAD_ORDERING = "hoodie.payload.ordering.field"
DELETE_FIELD = "hoodie.payload.delete.field"
DELETE_MARKER = "hoodie.payload.delete.marker"
MERGE_PROPERTY = "hoodie.record.merge.property."
"""Prefix of the properties of a merge rule, from table version 8 on."""

# entries of hoodoo, which Hudi ignores
KEYGEN = "hoodoo.keygen"
KEYGEN_OPTIONS = "hoodoo.keygen.options"
PARTITION_KINDS = "hoodoo.partition_by"
"""The partition columns with their kinds (`column:simple`), which table versions below 8 store without them."""
MERGER = "hoodoo.merger"
PAYLOAD = "hoodoo.payload"
DISTRIBUTIONS = "hoodoo.distributions"
"""The distributions of the plugins of a new table, by family and name, as JSON."""
RULE_VERSION = "hoodoo.rule.version"
RULE_DIGEST = "hoodoo.rule.digest"
RULE_OPTIONS = "hoodoo.rule.options"
COMPAT = "hoodoo.compat"
DELETE_RULE = "hoodoo.delete_rule"
DELETE_RULE_OPTIONS = "hoodoo.delete_rule.options"
INDEX = "hoodoo.index"
BUCKETS = "hoodoo.buckets"
BUCKET_BY = "hoodoo.bucket_by"
HOODOO_PREFIX = "hoodoo."
"""Prefix of the entries of hoodoo."""
