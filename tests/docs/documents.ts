import { readRepository } from '../repository-files.ts'
import { type Block, readBlocks } from './read-document.ts'

/** A Markdown page of the repository. */
export interface Document {
  /** From the root, with `/`. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Made by a program, or a byte copy: nobody wrote their commands for a reader to copy. */
const NOT_OURS = /^(?:contract\/spec\.md|examples\/.+\/.+\.md)$/

/** The pages that people read, sorted by path. */
export function readDocuments(): readonly Document[] {
  return readRepository()
    .filter(({ path }) => path.endsWith('.md') && !NOT_OURS.test(path))
    .map(({ path, text }) => ({ path, text, blocks: readBlocks(text) }))
}
