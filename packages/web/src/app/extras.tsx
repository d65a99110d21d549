import type { ReactNode } from 'react'
import Tooltips from '../shared/kit/tooltips.tsx'
import { LinkGuard } from './link-guard.tsx'

/** What every page has and none needs before it is there. */
export default function Extras(): ReactNode {
  return (
    <>
      <Tooltips />
      <LinkGuard />
    </>
  )
}
