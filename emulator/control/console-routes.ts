import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Registers `GET /__emulator/`, the web console that shows and controls the emulator. The page loads nothing from other
 * hosts.
 */
export function registerConsoleRoute(server: FastifyInstance): void {
  let page: Promise<Page> | undefined
  server.get('/', async (_request, reply) => {
    page ??= composePage()
    const { html, policy } = await page
    return reply
      .headers({
        'content-security-policy': policy,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(html)
  })
}

interface Page {
  readonly html: string
  readonly policy: string
}

/** Modules of the console script, in dependency order. */
const MODULES = [
  'api',
  'dom',
  'format',
  'dialogs',
  'message',
  'rule-list',
  'fixtures',
  'faults',
  'request-detail',
  'requests',
  'accounts',
  'observations',
  'page',
]

/**
 * Inserts the style sheet and the script into the console page, and builds a content security policy that allows only
 * these two.
 */
async function composePage(): Promise<Page> {
  const readText = (name: string) => readFile(new URL(`console/${name}`, import.meta.url), 'utf8')
  const [html, style, ...modules] = await Promise.all(
    ['page.html', 'page.css', ...MODULES.map((name) => `${name}.js`)].map(readText),
  )
  const script = joinModules(MODULES.map((name, index) => ({ name, text: modules[index] ?? '' })))
  // Also replaces the whitespace around a placeholder, because the policy contains digests of the exact tag contents.
  // Uses a replacement function, because `$` has a special meaning in a replacement string.
  const insert = (text: string, mark: RegExp, content: string) => text.replace(mark, () => content)
  const styled = insert(html ?? '', /\s*<!--STYLE-->\s*/, style ?? '')
  return {
    html: insert(styled, /\s*<!--SCRIPT-->\s*/, script),
    policy: [
      "default-src 'none'",
      `script-src ${digestOf(script)}`,
      `style-src ${digestOf(style ?? '')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  }
}

/**
 * Joins modules into one script, because the content security policy allows only one. Each module becomes a function
 * that returns its exports. Supports only the syntax that the console uses: named imports and exported declarations.
 */
function joinModules(modules: readonly { readonly name: string; readonly text: string }[]): string {
  const functions = modules.map(({ name, text }) => {
    const exported = [...text.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, id]) => id)
    const body = text
      .replaceAll(/^import (\{[^}]*\}) from '\.\/([\w-]+)\.js'$/gm, "const $1 = modules['$2']")
      .replaceAll(/^export /gm, '')
    return `modules['${name}'] = (() => {\n${body}\nreturn { ${exported.join(', ')} }\n})()\n`
  })
  return `const modules = {}\n${functions.join('')}`
}

function digestOf(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}
