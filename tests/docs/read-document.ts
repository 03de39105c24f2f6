/** A fenced block of a document. */
export interface Block {
  /** Line number of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Marks in the `docs:` comment above the block, one per line. */
  readonly marks: readonly string[]
  /** Source file named by the paragraph above the block. */
  readonly source: string | undefined
}

const FENCE = /^( *)```(.*)$/
const MARKS = /<!-- docs:\s*([^]*?)\s*-->\s*$/
const SOURCE = /From `([^`]+)`:\s*$/

/** Returns the fenced blocks of a page, in order. */
export function readBlocks(page: string): readonly Block[] {
  const lines = page.split('\n')
  const blocks: Block[] = []
  let above = ''
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', language = ''] = FENCE.exec(lines[at] ?? '') ?? []
    if (!FENCE.test(lines[at] ?? '')) {
      above += `${lines[at] ?? ''}\n`
      continue
    }
    const end = lines.indexOf(`${indent}\`\`\``, at + 1)
    if (end === -1) throw new Error(`The block of line ${at + 1} has no end.`)
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
    const marks = MARKS.exec(above)?.[1]?.split(/\s*\n\s*/) ?? []
    blocks.push({
      line: at + 1,
      language,
      text: `${text.join('\n')}\n`,
      marks,
      source: SOURCE.exec(above)?.[1],
    })
    above = ''
    at = end
  }
  return blocks
}

/** Returns the text after a keyword in the marks of a block: `ends with` → `1`. Undefined if there is no such mark. */
export function findMark({ marks }: Block, word: string): string | undefined {
  const mark = marks.find((text) => text === word || text.startsWith(`${word} `) || text.startsWith(`${word}:`))
  return mark?.slice(word.length).replace(/^:?\s*/, '')
}

/** Returns whether a block shows the output of commands, to be compared with the real output. */
export function isOutput(block: Block): boolean {
  return (
    block.language === 'text' &&
    findMark(block, 'drawing') === undefined &&
    findMark(block, 'not compared') === undefined
  )
}
