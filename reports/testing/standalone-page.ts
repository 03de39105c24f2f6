import { PAGE_SCRIPT } from '../html/page.ts'

/** Lists why a page is not standalone: a file of less than 2 MB that loads nothing and shows every character. */
export function findPageProblems(page: string): string[] {
  // Removes attribute values, because quoted text cannot become markup.
  const markup = page
    .replace(/<style>[^]*?<\/style>/, '')
    .replace(`<script type="module">${PAGE_SCRIPT}</script>`, '')
    .replace(/="[^"]*"/g, '=""')
  const policy =
    /content="default-src 'none'; style-src 'sha256-[^' ]+'; script-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'"/
  const problems: readonly [isProblem: boolean, description: string][] = [
    [Buffer.byteLength(page) >= 2_000_000, 'it has 2 MB or more'],
    [!/^<!doctype html>/i.test(page), 'it does not start with a document type'],
    [!policy.test(page), 'it has no policy that allows its own style and script alone'],
    [/<(?:script|link|iframe|object|embed|img)\b/i.test(markup), 'it has an element that loads or runs something'],
    [/<[^>]*\s(?:style|on[a-z]+)=/i.test(markup), 'it has a style or a handler in an attribute'],
    [/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(page), 'it has an invisible character'],
  ]
  return problems.filter(([isProblem]) => isProblem).map(([, description]) => description)
}
