import { rename, writeFile } from 'node:fs/promises'

/** Writes a document as JSON: a reader sees the old one or the new one, never a half. @throws the file system's error */
export async function writeDocument(path: string, document: object): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, `${JSON.stringify(document, undefined, 2)}\n`)
  await rename(draft, path)
}
