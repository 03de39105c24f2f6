import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isJsonObject } from '../common/json-object.ts'
import { MAX_JSON_DEPTH, parseJson } from '../common/parse-json.ts'
import type { JsonSchema } from '../common/schema/build-schema.ts'
import { findSchemaProblems } from '../common/schema/find-schema-problems.ts'
import { sortMembers } from '../common/schema/sort-members.ts'
import { type ConformanceDocument, conformanceSchema } from './conformance-document.ts'
import { type LoadDocument, loadSchema } from './load-document.ts'
import { type ProveDocument, proveSchema } from './prove-document.ts'

const decompress = promisify(gunzip)

export type RunDocument = ConformanceDocument | LoadDocument

export type ResultDocument = RunDocument | ProveDocument

export const DOCUMENT_KINDS = ['conformance', 'load', 'prove'] as const

/** Error for documents that are invalid, or that cannot be compared. The message states the reason. */
export class InvalidDocumentError extends Error {
  override readonly name = 'InvalidDocumentError'
}

/** Error for a document of a draft or of another version, which this version does not read. */
export class UnknownVersionError extends InvalidDocumentError {}

/** Returns the JSON Schema (2020-12) of a kind of document. */
export function getSchema(kind: ResultDocument['kind']): JsonSchema {
  return { conformance: conformanceSchema, load: loadSchema, prove: proveSchema }[kind].json
}

/** Lists the differences between a document and its schema. Returns an empty list for a valid document. */
export function findDocumentErrors(document: ResultDocument): string[] {
  return findSchemaProblems(getSchema(document.kind), document, 'the document')
}

/** Returns a copy of a document whose members have the order of the schema. */
export function sortDocumentMembers<Document extends ResultDocument>(document: Document): Document {
  // The cast is safe: only the order of members changes.
  return sortMembers(getSchema(document.kind), document) as Document
}

/** Reads and validates a document, also a `.gz`. Throws an {@link InvalidDocumentError}. */
export async function readDocument(path: string): Promise<ResultDocument> {
  const text = await readText(path).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidDocumentError(
      `the document ${path} cannot be read (${error.code ?? error.message}): check the path`,
    )
  })
  const value = parse(text, path)
  const kind = DOCUMENT_KINDS.find((candidate) => isJsonObject(value) && value['kind'] === candidate)
  if (kind === undefined) {
    throw new InvalidDocumentError(
      `the file ${path} is not a touchstone document: give a conformance.json, prove.json or load-….json that a run wrote`,
    )
  }
  const errors = findSchemaProblems(getSchema(kind), value, 'the document')
  if (errors.length > 0) {
    throw new UnknownVersionError(
      `the file ${path} was written by a draft or another version of touchstone, which this version does not read (${errors[0]}): run the command again`,
    )
  }
  // The cast is safe: the value conforms to the schema of the type.
  return value as ResultDocument
}

/** Maximum size of a document in bytes, also after decompression. Documents of runs have less than a tenth of it. */
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024

async function readText(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > MAX_DOCUMENT_BYTES) throw new Error(`more than ${MAX_DOCUMENT_BYTES} bytes`)
  const bytes = await readFile(path)
  return (path.endsWith('.gz') ? await decompress(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES }) : bytes).toString()
}

function parse(text: string, path: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new InvalidDocumentError(
      `the file ${path} is not valid JSON, or is nested more than ${MAX_JSON_DEPTH} deep: give a touchstone document`,
    )
  }
}
