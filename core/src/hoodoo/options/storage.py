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
    s3_role: str | None = option(
        "fs.s3a.assumed.role.arn",
        help="ARN of a role to assume with the credentials above. This requires `pip install 'hoodoo-core[s3-role]'`.",
    )
    s3_role_session: str | None = option(
        "fs.s3a.assumed.role.session.name", shown_default="`hoodoo`", help="Name of the session of the assumed role."
    )
    s3_role_external_id: str | None = option(
        "fs.s3a.assumed.role.external.id", help="External id that the role requires of a client that assumes it."
    )
    s3_role_endpoint: str | None = option(
        "fs.s3a.assumed.role.sts.endpoint",
        shown_default="the endpoint of AWS",
        help="Address of the token service (STS).",
    )
    s3_encryption: str | None = option(
        "fs.s3a.encryption.algorithm",
        "fs.s3a.server-side-encryption-algorithm",
        choices=("aes256", "sse-kms", "dsse-kms"),
        shown_default="the setting of the bucket",
        unsupported={
            "sse_c": "keys of the customer are sent with each request, also by each reader; use sse-kms",
            "cse_kms": "the store then holds objects that only a client with the key can read; use sse-kms",
            "cse_custom": "the store then holds objects that only a client with the key can read; use sse-kms",
        },
        help="Encryption of new objects by the store.",
    )
    s3_encryption_key: str | None = option(
        "fs.s3a.encryption.key",
        "fs.s3a.server-side-encryption.key",
        shown_default="the key of the bucket",
        help="Id or ARN of the KMS key for `sse-kms` and `dsse-kms`.",
    )
    s3_requester_pays: bool | None = option(
        "fs.s3a.requester.pays.enabled",
        kind="flag",
        shown_default="`false`",
        help="Agree to pay for requests to a bucket of another account.",
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
