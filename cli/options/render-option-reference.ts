import { describeDefault, formatFlag, type OptionTable } from '../../common/options/option-table.ts'

const HEAD = `# Options

A flag overrides its environment variable. \`touchstone COMMAND --help\` prints the same options with examples. This page is
generated from the option tables of the programs.
`

/**
 * Renders the reference page with the options of all commands as Markdown.
 * @param tables option tables, keyed by command
 */
export function renderReferencePage(tables: Readonly<Record<string, OptionTable>>): string {
  const sections = Object.entries(tables).map(
    ([command, table]) => `## ${command}\n\n${renderOptionReference(table)}\n`,
  )
  return [HEAD, ...sections].join('\n')
}

export function renderOptionReference(table: OptionTable): string {
  const rows = Object.values(table).map((row) => {
    const { choices, repeatable, env, description, example } = row
    const defaultText = describeDefault(row)
    const remarks = [
      ...(choices === undefined ? [] : [`Values: ${choices.map(code).join(', ')}.`]),
      ...(repeatable === true ? ['Repeatable.'] : []),
      ...(example === undefined ? [] : [`Example: ${code(example)}.`]),
    ]
    return [
      code(formatFlag(row)),
      env === undefined ? '' : code(env),
      defaultText === undefined ? '' : cell(defaultText),
      [`${cell(capitalized(description))}.`, ...remarks].join(' '),
    ]
  })
  return [
    '| Flag | Environment | Default | Description |',
    '|---|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

/** Escapes the characters that would end a table cell or start an HTML tag. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
