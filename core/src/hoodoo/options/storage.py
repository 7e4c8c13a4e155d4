"""Options for access to an object store. They are not stored with the table, and secrets are not shown."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["StorageOptions"]


@frozen
class StorageOptions:
    """Address and credentials of an object store: an S3-compatible one, Azure Blob Storage or Google Cloud Storage."""

    s3_endpoint: str | None = option(
        "fs.s3a.endpoint",
        shown_default="`AWS_ENDPOINT_URL`, or the endpoint of AWS",
        help="Address of the store, with or without `http://` or `https://`.",
    )
    s3_region: str | None = option(
        "fs.s3a.endpoint.region", shown_default="`AWS_REGION`, or us-east-1", help="Region of the bucket."
    )
    s3_ssl: bool | None = option(
        "fs.s3a.connection.ssl.enabled",
        kind="flag",
        shown_default="`true`",
        help="Use https for an address without `http://` or `https://`.",
    )
    s3_path_style: bool | None = option(
        "fs.s3a.path.style.access",
        kind="flag",
        shown_default="`true`",
        help="Put the bucket into the path of a request; `false` puts it into the host name.",
    )
    s3_access_key: str | None = option(
        "fs.s3a.access.key",
        secret=True,
        shown_default="`AWS_ACCESS_KEY_ID`, or the role of the machine",
        help="Access key.",
    )
    s3_secret_key: str | None = option(
        "fs.s3a.secret.key", secret=True, shown_default="`AWS_SECRET_ACCESS_KEY`", help="Secret key."
    )
    s3_session_token: str | None = option(
        "fs.s3a.session.token", secret=True, shown_default="`AWS_SESSION_TOKEN`", help="Session token."
    )
    azure_account: str | None = option(
        shown_default="`AZURE_STORAGE_ACCOUNT_NAME`",
        help="Storage account of a location `az://container/path`; a location `abfss://` contains the account.",
    )
    azure_account_key: str | None = option(
        "fs.azure.account.key",
        secret=True,
        shown_default="`AZURE_STORAGE_ACCOUNT_KEY`",
        help="Key of the storage account. Hudi's keys may end with the account, as Hadoop's do: "
        "`fs.azure.account.key.ACCOUNT.dfs.core.windows.net`.",
    )
    azure_sas_token: str | None = option(
        "fs.azure.sas.fixed.token",
        secret=True,
        shown_default="`AZURE_STORAGE_SAS_TOKEN`",
        help="Shared access signature.",
    )
    azure_client_id: str | None = option(
        "fs.azure.account.oauth2.client.id",
        shown_default="`AZURE_CLIENT_ID`, or the managed identity of the machine",
        help="Client id of a service principal.",
    )
    azure_client_secret: str | None = option(
        "fs.azure.account.oauth2.client.secret",
        secret=True,
        shown_default="`AZURE_CLIENT_SECRET`",
        help="Secret of the service principal.",
    )
    azure_client_endpoint: str | None = option(
        "fs.azure.account.oauth2.client.endpoint",
        shown_default="the tenant of `AZURE_TENANT_ID`",
        help="Address of the token service, `https://login.microsoftonline.com/TENANT/oauth2/token`.",
    )
    azure_endpoint: str | None = option(
        shown_default="`https://ACCOUNT.blob.core.windows.net`",
        help="Address of the blob service, for an emulator or a private cloud.",
    )
    gcs_key_file: str | None = option(
        "fs.gs.auth.service.account.json.keyfile",
        "google.cloud.auth.service.account.json.keyfile",
        shown_default="`GOOGLE_APPLICATION_CREDENTIALS`, or the service account of the machine",
        help="Path of the key file of a service account.",
    )
