import fc from 'fast-check'

/**
 * Returns the lines of an output that a CI runner would execute:
 * - `##[add-mask]`, `##vso[…]` and `##teamcity[…]` anywhere in a line (GitHub Actions, Azure Pipelines, TeamCity);
 * - `::error::` at the start of a line, after white space (GitHub Actions, Gitea, Forgejo);
 * - section markers (GitLab).
 *
 * Runners split lines at carriage returns too.
 */
export function findRunnerCommands(output: string): string[] {
  return output
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
    .filter((line) => /##\w*\[/.test(line) || line.trimStart().startsWith('::') || line.includes('\u001b[0K'))
}

export const RUNNER_COMMANDS = [
  '##[add-mask]x',
  '##[group]',
  '::error::boom',
  '::set-output name=a::b',
  '::stop-commands::token',
  '##vso[task.setvariable variable=a]b',
  "##teamcity[message text='a']",
  '\u001b[0Ksection_start:1:a\r\u001b[0K',
] as const

/** Characters that precede a command, separate lines, or are invisible. */
const SEPARATORS = ['\n', '\r', '\r\n', '\u0085', '\u2028', '\u000b', ' ', '\t', '\u00a0', '\ufeff', '\u200b', '\0', '']

/** Generates text that tries to start a command of a CI runner. */
export const hostileTexts = fc
  .array(
    fc.constantFrom<string>(...RUNNER_COMMANDS, ...SEPARATORS, '#', ':', '[', '##', '::', 'a', '…', '`', '<b>', '"'),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''))
