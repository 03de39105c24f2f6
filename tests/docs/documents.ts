import { readRepository } from '../repository-files.ts'
import { type Block, readBlocks } from './read-document.ts'

/** A Markdown page of the repository. */
export interface Document {
  /** Path from the root, with `/`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Generated pages and byte copies: they contain no commands for readers. */
const NOT_OURS = /^(?:contract\/spec\.md|examples\/.+\/.+\.md)$/

/** All hand-written pages, sorted by path. */
export function readDocuments(): readonly Document[] {
  return readRepository()
    .filter(({ path }) => path.endsWith('.md') && !NOT_OURS.test(path))
    .map(({ path, text }) => ({ path, text, blocks: readBlocks(text) }))
}
