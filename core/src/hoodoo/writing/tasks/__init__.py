"""Tasks of a write and of a compaction: conversion, merge and checks of rows, and writers of file groups."""
