export interface UploadedFile {
  /** Undefined if the part has no file name. */
  readonly filename: string | undefined
  /** Media type in lower case, without parameters. */
  readonly mediaType: string
  readonly bytes: Buffer
}

export function isUploadedFile(value: unknown): value is UploadedFile {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes)
}
