import type { ResultDocument } from '../documents.ts'
import { fitMarkdown, formatCode, escapeProse } from './escape.ts'
import { renderConformanceSections, type MarkdownSection } from './conformance-sections.ts'
import { renderLoadSections } from './load-sections.ts'
import type { ProveDocument } from '../prove-document.ts'

/** Renders a document of any kind as Markdown of at most 65,000 bytes. */
export function renderMarkdown(document: ResultDocument): string {
  switch (document.kind) {
    case 'conformance':
      return fitMarkdown(renderConformanceSections(document))
    case 'load':
      return fitMarkdown(renderLoadSections(document))
    case 'prove':
      return fitMarkdown(renderProveSections(document))
  }
}

/** Renders the result of mutation tests as Markdown sections: the number of caught mutants, then the shortfalls. */
function renderProveSections(document: ProveDocument): MarkdownSection[] {
  const { verdict, mutants, checks, checksWithoutMutant, failingWithout, targetsWithoutEvidence = [] } = document
  const caught = mutants.filter(({ shortfalls }) => shortfalls.length === 0).length
  const short = mutants.flatMap(({ id, breaks, shortfalls }) =>
    shortfalls.flatMap(({ check, why, expected, actual }) => [
      `- ${formatCode(id)} (${escapeProse(breaks)}): ${formatCode(check)} ${escapeProse(why)}`,
      `  - expected: ${formatCode(expected)}`,
      `  - actual: ${formatCode(actual)}`,
    ]),
  )
  const sound = [
    ...checksWithoutMutant.map((check) => `- ${formatCode(check)}: it has no mutant`),
    ...failingWithout.map(
      ({ check, actual }) => `- ${formatCode(check)} fails without any mutant: ${formatCode(actual)}`,
    ),
    ...targetsWithoutEvidence.flatMap(({ target, unexpected, outdated }) => [
      ...unexpected.map(
        (check) =>
          `- ${formatCode(check)} passes against ${formatCode(target)}, although the reviewed list does not contain it`,
      ),
      ...outdated.map(
        (check) =>
          `- ${formatCode(check)} does not pass against ${formatCode(target)}, although the reviewed list contains it`,
      ),
    ]),
  ]
  return [
    {
      head: [`## ${verdict === 'proven' ? '✅ Proven' : `❌ ${escapeProse(verdict)}`}`, ''],
      lines: [`${caught} of ${mutants.length} mutants were detected as expected, by ${checks.length} checks.`],
    },
    ...(short.length === 0 ? [] : [{ head: ['### Not detected as expected', ''], lines: short }]),
    ...(sound.length === 0 ? [] : [{ head: ['### Checks that are not proven', ''], lines: sound }]),
  ]
}
