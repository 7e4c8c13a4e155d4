//! Tables of the crate hudi-core: jobs on standard input, answers on standard output, a line of JSON each.
//!
//! A job has the key `do` and the arguments of its function. An answer has the key `warnings`, with the messages that
//! the crate logged, because the crate logs a warning and lists folders if it cannot use the metadata table. The first
//! answer, before any job, shows that the process is ready.

// the futures of the crate's writes nest deeper than the default limit
#![recursion_limit = "256"]

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use arrow_array::RecordBatch;
use hudi_core::config::table::TableTypeValue;
use hudi_core::hfile::HFileReader;
use hudi_core::table::{ReadOptions, Table};
use hudi_core::{HoodieKey, WriteResult};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

type Answer = Result<Value, Box<dyn Error>>;

static WARNINGS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collector of the warnings and errors that the crate logs.
struct Collector;

impl log::Log for Collector {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.level() <= log::Level::Warn && metadata.target().starts_with("hudi")
    }

    fn log(&self, record: &log::Record) {
        if self.enabled(record.metadata()) {
            WARNINGS.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    log::set_logger(&Collector).map_err(|error| error.to_string())?;
    log::set_max_level(log::LevelFilter::Warn);
    answered(json!({"ready": true}))?;
    for line in io::stdin().lock().lines() {
        let job: Value = serde_json::from_str(&line?)?;
        let mut answer = done(&job)
            .await
            .unwrap_or_else(|error| json!({"error": error.to_string()}));
        answer["warnings"] = json!(std::mem::take(&mut *WARNINGS.lock().unwrap()));
        answered(answer)?;
    }
    Ok(())
}

/// Write an answer.
fn answered(answer: Value) -> io::Result<()> {
    println!("{answer}");
    io::stdout().flush()
}

/// Execute a job and return its answer.
async fn done(job: &Value) -> Answer {
    match text(job, "do")?.as_str() {
        "create" => create(job).await,
        "read" => read(job).await,
        "upsert" => {
            let rows = rows_of(&text(job, "rows")?)?;
            let start = Instant::now();
            let mut table = open(job).await?;
            let result = table.upsert(rows).await?;
            Ok(written(start, &result))
        }
        "delete" => {
            let keys = texts(job, "keys")?.into_iter().map(key);
            let start = Instant::now();
            let mut table = open(job).await?;
            let result = table.delete_keys(keys).await?;
            Ok(written(start, &result))
        }
        "compact" => {
            let result = open(job).await?.compact().await?;
            Ok(json!({"instant": result.requested_time}))
        }
        "hfile" => hfile(job),
        other => Err(format!("no job has the name {other:?}").into()),
    }
}

/// Create a table without rows.
async fn create(job: &Value) -> Answer {
    let type_: TableTypeValue = text(job, "type")?.parse()?;
    let flag = |name: &str| job[name].as_bool().unwrap_or(false);
    let version = job["version"].as_i64().ok_or("a job without version")?;
    let mut builder = Table::create(text(job, "path")?)
        .with_table_name(text(job, "name")?)
        .with_table_type(type_)
        .with_table_version(version as isize)
        .with_record_key_fields(texts(job, "key")?)
        .with_partition_fields(texts(job, "partition")?)
        .with_ordering_fields(texts(job, "ordering")?)
        .with_hive_style_partitioning(flag("hive_style"))
        .with_metadata_table_enabled(flag("metadata"))
        .with_record_index_enabled(flag("record_index"))
        .with_column_stats_enabled(flag("column_stats"))
        .with_partition_stats_enabled(flag("partition_stats"));
    for (name, value) in options(job) {
        builder = builder.with_option(name, value);
    }
    builder.create().await?;
    Ok(json!({}))
}

/// Write the rows of a snapshot that filters keep into a Parquet file; the answer has the numbers of rows and slices.
async fn read(job: &Value) -> Answer {
    let table = open(job).await?;
    let filters: Vec<(String, String, String)> = serde_json::from_value(job["filters"].clone())?;
    let chosen = ReadOptions::new().with_filters(filters)?;
    let slices = table.get_file_slices(&chosen).await?.len();
    let batches = table.read(&chosen).await?;
    let schema = match batches.first() {
        Some(batch) => batch.schema(),
        None => Arc::new(table.get_schema_with_meta_fields().await?),
    };
    let mut writer = ArrowWriter::try_new(File::create(text(job, "to")?)?, schema, None)?;
    let mut rows = 0;
    for batch in &batches {
        rows += batch.num_rows();
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(json!({"rows": rows, "slices": slices}))
}

/// Return the keys and values of an HFile as hexadecimal texts, and the values of the keys that the job looks up.
fn hfile(job: &Value) -> Answer {
    let mut reader = HFileReader::new(std::fs::read(text(job, "path")?)?)?;
    let cells: Vec<_> = reader
        .collect_records()?
        .iter()
        .map(|record| [hexadecimal(record.key()), hexadecimal(record.value())])
        .collect();
    let names = texts(job, "keys")?;
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let found: Vec<_> = reader
        .lookup_records(&wanted)?
        .into_iter()
        .map(|(_, record)| record.map(|record| hexadecimal(record.value())))
        .collect();
    Ok(json!({"cells": cells, "found": found}))
}

/// Return bytes as a hexadecimal text.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Open the table of a job with its options.
async fn open(job: &Value) -> hudi_core::error::Result<Table> {
    let path = job["path"].as_str().unwrap_or_default();
    Table::new_with_options(path, options(job)).await
}

/// Return the answer of a write: the seconds from opening the table to the completed commit, and its numbers of rows.
fn written(start: Instant, result: &WriteResult) -> Value {
    json!({
        "seconds": start.elapsed().as_secs_f64(),
        "instant": result.requested_time,
        "updates": result.num_updates,
        "inserts": result.num_inserts,
        "deletes": result.num_deletes,
    })
}

/// Return the rows of a Parquet file.
fn rows_of(file: &str) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?.build()?;
    Ok(reader.collect::<Result<_, _>>()?)
}

/// Return a record key in any partition.
fn key(record_key: String) -> HoodieKey {
    HoodieKey {
        record_key,
        partition_path: String::new(),
    }
}

/// Return a text of a job.
fn text(job: &Value, name: &str) -> Result<String, String> {
    job[name]
        .as_str()
        .map(str::to_string)
        .ok_or_else(|| format!("a job without {name}: {job}"))
}

/// Return a list of texts of a job.
fn texts(job: &Value, name: &str) -> Result<Vec<String>, Box<dyn Error>> {
    Ok(serde_json::from_value(job[name].clone())?)
}

/// Return the options of a job, Hudi's keys with their values.
fn options(job: &Value) -> Vec<(String, String)> {
    let entries = job["options"].as_object().into_iter().flatten();
    entries
        .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_string()))
        .collect()
}
