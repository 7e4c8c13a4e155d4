"""HFiles and metadata tables, compared with those of HBase and of Hudi."""
