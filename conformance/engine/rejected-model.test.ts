import { expect, test } from 'vitest'
import { createScriptedExchange } from '../prove/no-evidence-targets/scripted-context.ts'
import { formatLibraryOption } from '../options/table-options.ts'
import { describeFinding } from '../findings/sentences.ts'
import { findRejectedModelRemark } from './wrong-target.ts'

function remarkOn(
  body: string,
  { status = 404, listedIds = [], model = 'o3-mini' }: { status?: number; listedIds?: string[]; model?: string } = {},
) {
  const remark = findRejectedModelRemark(model, createScriptedExchange({ status, body }), listedIds)
  return remark === undefined ? undefined : describeFinding(remark, formatLibraryOption)
}

test('names a model that the target rejects, and how to declare others', () => {
  expect(remarkOn('{"error":{"message":"No model o3-mini."}}')).toBe(
    'A chat with the model o3-mini returned 404 ("No model o3-mini."). If the target serves other models, declare them with --model, or in "models" of a target file.',
  )
  expect(remarkOn('{"detail":"o3-mini is off"}', { status: 400, listedIds: ['o3-mini'] })).toMatch(
    /^The target lists the model o3-mini, but a chat with it returned 400 \("o3-mini is off"\)\./,
  )
  expect(remarkOn('{"error":{"message":"Unknown.","code":"model_not_found"}}')).toContain('("Unknown.")')
})

test('does not blame the model for other error responses', () => {
  expect(remarkOn('{"error":{"message":"Not found"}}')).toBeUndefined()
  expect(remarkOn('{"error":{"message":"o3-mini is overloaded"}}', { status: 503 })).toBeUndefined()
  expect(remarkOn('<html>o3-mini</html>')).toBeUndefined()
})

test('explains that a model with a comma is one model', () => {
  expect(remarkOn('{"error":{"message":"No model tiny-1,tiny-2."}}', { model: 'tiny-1,tiny-2' })).toMatch(
    / A comma is part of the ID: repeat --model for each model\.$/,
  )
})
