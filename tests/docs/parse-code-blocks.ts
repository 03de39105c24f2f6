/** A fenced code block of a Markdown page. */
export interface CodeBlock {
  /** Line number of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** Instructions for the tests, one per line, from the HTML comment `docs:` above the block. */
  readonly marks: readonly string[]
  /** Source file that the paragraph above the block names. */
  readonly source: string | undefined
}

const FENCE = /^( *)```(.*)$/
const MARKS = /<!-- docs:\s*([^]*?)\s*-->\s*$/
const SOURCE = /From `([^`]+)`:\s*$/

/** Parses the fenced code blocks of a page, in order. */
export function parseCodeBlocks(page: string): readonly CodeBlock[] {
  const lines = page.split('\n')
  const blocks: CodeBlock[] = []
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

/**
 * Finds an instruction of a block, and returns its argument: `1` for the instruction `ends with 1` and the word `ends
 * with`. Returns undefined if the block lacks the instruction.
 */
export function findInstruction({ marks }: CodeBlock, word: string): string | undefined {
  const mark = marks.find((text) => text === word || text.startsWith(`${word} `) || text.startsWith(`${word}:`))
  return mark?.slice(word.length).replace(/^:?\s*/, '')
}

/** Returns whether a block shows the output of commands. The tests compare it with the actual output. */
export function isOutputBlock(block: CodeBlock): boolean {
  return (
    block.language === 'text' &&
    findInstruction(block, 'drawing') === undefined &&
    findInstruction(block, 'not compared') === undefined
  )
}
