import { readRepositoryFiles } from '../repository-files.ts'
import { type CodeBlock, parseCodeBlocks } from './parse-code-blocks.ts'

export interface MarkdownPage {
  /** Path relative to the repository root, with `/` separators. */
  readonly path: string
  readonly text: string
  readonly blocks: readonly CodeBlock[]
}

/** Matches generated pages and copies of other documents, which contain no commands for readers. */
const NOT_OURS = /^(?:contract\/spec\.md|examples\/.+\/.+\.md)$/

/** Returns all hand-written pages, sorted by path. */
export function readPages(): readonly MarkdownPage[] {
  return readRepositoryFiles()
    .filter(({ path }) => path.endsWith('.md') && !NOT_OURS.test(path))
    .map(({ path, text }) => ({ path, text, blocks: parseCodeBlocks(text) }))
}
