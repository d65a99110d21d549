import type { Check } from './checks.ts'
import type { Rule } from './rule.ts'

/** Keywords separated by blanks, the format, a sketch, and a check where ordinary words could match the format. */
type Row = readonly [keywords: string, format: RegExp, example: string, check?: Check]

/**
 * Secrets recognised by their published format, with labels that name the kind of thing and not the vendor. Specific
 * formats come before general ones, because the first matching row gives the label.
 */
const formats: Record<string, readonly Row[]> = {
  TURN_KEY: [['ymt_', /ymt_[\w-]{43}/, 'ymt_ + 43 word']],
  API_KEY: [['ym_', /ym_[\w-]{32}(?![\w-])/, 'ym_ + 32 word', 'random']],
  VENDOR_OAUTH_TOKEN: [['sk-ant-o sk-ant-s', /sk-ant-(?:oat|ort|sid)\d{0,2}-[\w-]{20,512}/, 'sk-ant-oat01- + 95 word']],
  VENDOR_API_KEY: [['sk-ant-', /sk-ant-[\w-]{20,512}/, 'sk-ant-api03- + 95 word']],
  PROVIDER_API_KEY: [
    [
      'sk-proj- sk-svcacct- sk-admin- sk-or- sk-lf- sk-none- sk-service-',
      /sk-(?:proj|svcacct|admin|or|lf|None|service)-[\w-]{20,512}/,
      'sk-proj- + 120 word',
    ],
    ['sk-', /sk-[\w-]{20,512}/, 'sk- + 48 alnum', 'random'],
    ['sess-', /sess-[A-Za-z0-9]{40}/, 'sess- + 40 alnum'],
    ['gsk_', /gsk_[A-Za-z0-9]{40,64}/, 'gsk_ + 52 alnum'],
    ['xai-', /xai-[A-Za-z0-9]{60,100}/, 'xai- + 80 alnum'],
    ['pplx-', /pplx-[A-Za-z0-9]{40,64}/, 'pplx- + 48 alnum'],
    ['r8_', /r8_[A-Za-z0-9]{35,40}/, 'r8_ + 37 alnum'],
    ['hf_ api_org_', /(?:hf|api_org)_[A-Za-z0-9]{30,40}/, 'hf_ + 34 alnum'],
    ['nvapi-', /nvapi-[\w-]{40,80}/, 'nvapi- + 64 word'],
    ['csk-', /csk-[a-z0-9]{40,60}/, 'csk- + 48 lowernum'],
    ['tgp_v1_', /tgp_v1_[\w-]{40,60}/, 'tgp_v1_ + 43 word'],
    ['lsv2_', /lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/, 'lsv2_pt_ + 32 hex + _ + 10 hex'],
    ['tvly-', /tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40}/, 'tvly-dev- + 32 alnum'],
    ['jina_', /jina_[\w-]{50,70}/, 'jina_ + 60 word'],
    ['fc-', /fc-[0-9a-f]{32}/, 'fc- + 32 hex'],
    ['e2b_', /e2b_[0-9a-f]{40}/, 'e2b_ + 40 hex'],
    ['fw_', /fw_[A-Za-z0-9]{22,32}/, 'fw_ + 24 alnum', 'opaque'],
    ['pcsk_', /pcsk_\w{50,90}/, 'pcsk_ + 69 alnum'],
    ['sk_', /sk_[0-9a-f]{48}/, 'sk_ + 48 hex'],
    ['pa-', /pa-[\w-]{43}(?![\w-])/, 'pa- + 43 word', 'random'],
    ['ak- as-', /a[ks]-[A-Za-z0-9]{22}(?![A-Za-z0-9])/, 'as- + 22 alnum', 'random'],
  ],
  FORGE_TOKEN: [
    ['ghp_ gho_ ghu_ ghs_ ghr_', /gh[pousr]_[A-Za-z0-9]{36,255}/, 'ghp_ + 36 alnum'],
    ['github_pat_', /github_pat_\w{36,255}/, 'github_pat_ + 22 alnum + _ + 59 alnum'],
    [
      'glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct-',
      /gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[\w.-]{18,300}/,
      'glpat- + 20 word',
    ],
    ['gr1348941', /GR1348941[\w-]{20,30}/, 'GR1348941 + 20 word'],
    ['atbb atctt3 atatt3', /AT(?:BB[A-Za-z0-9]{24,40}|(?:CTT|ATT)3[\w=-]{30,300})/, 'ATATT3 + 180 word'],
    ['sgp_', /sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}/, 'sgp_ + 40 hex'],
  ],
  CHAT_TOKEN: [
    [
      'xox xwfp-',
      /(?:xox[abceprs]|xoxe\.xox[bp]|xwfp)-[\w-]{10,400}/,
      'xoxb- + 12 digits + - + 13 digits + - + 24 alnum',
      'opaque',
    ],
  ],
  CHAT_APP_TOKEN: [['xapp-', /xapp-\d-[\w-]{20,200}/, 'xapp-1-A + 10 uppernum + - + 13 digits + - + 64 hex']],
  CI_TOKEN: [
    ['bkua_ bkct_ bkaj_ bkpt_', /bk(?:ua|ct|aj|pt)_[A-Za-z0-9]{30,60}/, 'bkua_ + 40 hex'],
    ['ccipat_ cciprj_', /CCI(?:PAT|PRJ)_[A-Za-z0-9]{18,26}_[0-9a-f]{40}/, 'CCIPAT_ + 22 alnum + _ + 40 hex'],
    ['sqp_ squ_ sqa_', /sq[pua]_[0-9a-f]{40}/, 'squ_ + 40 hex'],
    ['pat.', /pat\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}/, 'pat. + 22 word + . + 24 hex + . + 20 alnum'],
  ],
  CLOUD_API_KEY: [
    ['aiza', /AIza[\w-]{35}(?![A-Za-z0-9])/, 'AIza + 35 word'],
    ['aq.ab', /AQ\.Ab[\w-]{40,80}/, 'AQ.Ab + 48 word'],
    ['absk', /ABSK[A-Za-z0-9+/]{80,512}={0,2}/, 'ABSK + 128 base64'],
    ['dop_v1_ doo_v1_ dor_v1_', /do[por]_v1_[0-9a-f]{64}/, 'dop_v1_ + 64 hex'],
    ['v1.0-', /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}/, 'v1.0- + 24 hex + - + 146 hex'],
    ['cfut_ cfat_ cfk_', /cf(?:ut|at|k)_[A-Za-z0-9]{36,64}/, 'cfut_ + 48 alnum'],
    ['hrku-', /HRKU-[\w-]{36,64}/, 'HRKU-AA + 58 word'],
    ['nfp_ nfc_ nfo_ nfu_', /nf[pcou]_[A-Za-z0-9]{36,64}/, 'nfp_ + 36 alnum'],
    ['vcp_ vci_ vca_ vcr_ vck_', /vc[piark]_[A-Za-z0-9]{24,80}/, 'vcp_ + 56 alnum', 'random'],
    ['fm1r_ fm2_ fo1_', /f(?:m1r|m2|o1)_[A-Za-z0-9+/_-]{40,512}={0,2}/, 'fo1_ + 43 word'],
    ['rnd_', /rnd_[A-Za-z0-9]{26,40}/, 'rnd_ + 28 alnum', 'opaque'],
    ['tskey-', /tskey-[a-z]{3,12}-[A-Za-z0-9-]{16,100}/, 'tskey-auth-k + 10 alnum + CNTRL- + 32 alnum'],
    ['dnkey-', /dnkey-[\w=-]{26}-[\w=-]{52}/, 'dnkey- + 26 lowernum + - + 52 lowernum'],
    ['sha256~', /sha256~[\w-]{43}/, 'sha256~ + 43 word'],
    ['pul-', /pul-[0-9a-f]{40}/, 'pul- + 40 hex'],
    ['tk-us-', /tk-us-[\w-]{48}/, 'tk-us- + 48 alnum'],
    [
      'aqvn t1. y0_',
      /(?:AQVN[\w-]{35,38}|t1\.[A-Z0-9][\w-]{1,512}={0,2}\.[\w-]{86}={0,2}|y0_[\w-]{50,64})/,
      'AQVN + 36 word',
    ],
  ],
  CLOUD_OAUTH_CLIENT_SECRET: [['gocspx-', /GOCSPX-[\w-]{20,40}/, 'GOCSPX- + 28 word']],
  CLOUD_OAUTH_TOKEN: [
    ['ya29.', /ya29\.[\w.-]{20,512}/, 'ya29. + 180 word'],
    ['1//0', /1\/\/0[\w-]{38,120}/, '1//0 + 60 word'],
  ],
  CLOUD_ACCESS_KEY_ID: [
    ['akia asia abia acca', /A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])/, 'AKIA + 16 base32'],
    ['ltai akid', /(?:LTAI[A-Za-z0-9]{16,24}|AKID[A-Za-z0-9]{32})(?![A-Za-z0-9])/, 'LTAI + 20 alnum', 'random'],
  ],
  CLOUD_SESSION_TOKEN: [
    [
      'iqojb3jpz2lu fwogzxivyxdz fqogzxivyxdz',
      /(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/]{80,512}={0,2}/,
      'IQoJb3JpZ2lu + 300 base64',
    ],
  ],
  VAULT_SERVICE_TOKEN: [
    ['ops_', /ops_[A-Za-z0-9+/_=-]{40,512}/, 'ops_eyJ + 250 alnum', 'random'],
    [
      'a3-',
      /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
      'A3- + 6 uppernum + - + 11 uppernum + - + 5 uppernum + - + 5 uppernum + - + 5 uppernum',
    ],
  ],
  VAULT_TOKEN: [
    ['hvs. hvb. hvr.', /hv[sbr]\.[\w-]{20,300}/, 'hvs. + 90 word'],
    ['s.', /s\.[A-Za-z0-9]{24}(?![A-Za-z0-9.(_])/, 's. + 24 alnum', 'random'],
    [
      'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
      /dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}/,
      'dp.pt. + 43 alnum',
    ],
  ],
  PRIVATE_KEY: [['age-secret-key-1', /AGE-SECRET-KEY-1[A-Z0-9]{58}/, 'AGE-SECRET-KEY-1 + 58 uppernum']],
  DATABASE_TOKEN: [
    ['pscale_', /pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}/, 'pscale_pw_ + 43 word'],
    ['sbp_ sb_secret_', /(?:sbp_(?:v0_)?[0-9a-f]{40}|sb_secret_[\w-]{20,60})/, 'sbp_ + 40 hex'],
    ['napi_', /napi_[a-z0-9]{50,80}/, 'napi_ + 64 lowernum'],
    ['dapi dkea dose', /(?:dapi|dkea|dose)[0-9a-f]{32}(?:-\d)?/, 'dapi + 32 hex'],
    ['cflt', /cflt[A-Za-z0-9+/]{60}/, 'cflt + 60 base64'],
  ],
  PACKAGE_TOKEN: [
    ['npm_', /npm_[A-Za-z0-9]{30,60}/, 'npm_ + 36 alnum'],
    ['pypi-', /pypi-[\w-]{50,300}/, 'pypi-AgEIcHlwaS5vcmc + 150 word'],
    ['rubygems_', /rubygems_[0-9a-f]{48}/, 'rubygems_ + 48 hex'],
    ['cio', /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/, 'cio + 32 alnum', 'opaque'],
    ['dckr_pat_ dckr_oat_', /dckr_[po]at_[\w-]{24,60}/, 'dckr_pat_ + 27 word'],
    ['oy2', /oy2[a-z0-9]{43}/, 'oy2 + 43 lowernum'],
    ['clojars_', /CLOJARS_[A-Za-z0-9]{60}/, 'CLOJARS_ + 60 alnum'],
    ['akcp cmvmd', /(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})/, 'AKCp + 69 alnum'],
  ],
  PAYMENT_KEY: [
    [
      'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk_prod_',
      /[spr]k_(?:live|test|prod)_[A-Za-z0-9]{10,255}/,
      'sk_live_ + 24 alnum',
    ],
    ['whsec_', /whsec_[A-Za-z0-9+/]{20,100}={0,2}/, 'whsec_ + 32 alnum'],
    ['sq0atp- sq0csp- eaaa', /(?:sq0(?:atp|csp)-[\w-]{22,60}|EAAA[\w-]{56,70})/, 'sq0csp- + 43 word'],
    [
      'access_token$',
      /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/,
      'access_token$production$ + 16 lowernum + $ + 32 hex',
    ],
    [
      'access-sandbox- access-development- access-production-',
      /access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
      'access-sandbox- + 8 hex + - + 4 hex + - + 4 hex + - + 4 hex + - + 12 hex',
    ],
    ['rzp_live_ rzp_test_', /rzp_(?:live|test)_[A-Za-z0-9]{14,24}/, 'rzp_live_ + 14 alnum'],
    ['flwseck', /FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,40}(?:-X)?/, 'FLWSECK_TEST- + 32 hex + -X'],
    ['ezak eztk', /EZ[AT]K[A-Za-z0-9]{54}/, 'EZAK + 54 alnum'],
    ['live_ test_', /(?:live|test)_[A-Za-z0-9]{30,64}/, 'live_ + 40 alnum', 'opaque'],
    ['shpat_ shpca_ shppa_ shpss_ shptka_', /shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}/, 'shpat_ + 32 hex'],
    [
      'duffel_ shippo_',
      /(?:duffel_(?:live|test)_[\w=-]{43}|shippo_(?:live|test)_[0-9a-f]{40})/,
      'shippo_live_ + 40 hex',
    ],
  ],
  MAIL_API_KEY: [
    ['sg.', /SG\.[\w-]{16,32}\.[\w-]{32,64}/, 'SG. + 22 word + . + 43 word'],
    ['key- pubkey-', /(?:pub)?key-[0-9a-f]{32}(?![0-9a-zA-Z])/, 'key- + 32 hex'],
    ['xkeysib- xsmtpsib-', /x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}/, 'xkeysib- + 64 hex + - + 16 alnum'],
    ['re_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}/, 're_ + 8 alnum + _ + 24 alnum', 'random'],
  ],
  MESSAGING_KEY: [['sk', /SK[0-9a-f]{32}(?![0-9a-zA-Z])/, 'SK + 32 hex']],
  MONITORING_KEY: [
    [
      'glc_ glsa_',
      /(?:glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8})/,
      'glsa_ + 32 alnum + _ + 8 hex',
    ],
    ['nrak- nrii- nrjs- nraa- nrra-', /NR(?:AK|II|JS|AA|RA)-[\w-]{19,42}/, 'NRAK- + 27 uppernum'],
    ['sntrys_ sntryu_ sntrya_', /sntry[sua]_[A-Za-z0-9+/=_-]{60,400}/, 'sntryu_ + 64 hex'],
    ['phc_ phx_ phs_ phr_', /ph[cxsr]_[A-Za-z0-9]{40,64}/, 'phx_ + 43 alnum'],
    [
      'dt0c01. dt0s01. dt0s16.',
      /dt0[cs]\d{2}\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}/,
      'dt0c01. + 24 uppernum + . + 64 uppernum',
    ],
    ['hcaik_ hcxik_ hcalk_', /hc[ax][il]k_[0-9a-z]{40,64}/, 'hcaik_ + 58 lowernum'],
  ],
  SERVICE_TOKEN: [
    ['lin_api_ lin_oauth_', /lin_(?:api|oauth)_[A-Za-z0-9]{32,64}/, 'lin_api_ + 40 alnum'],
    ['ntn_', /ntn_[A-Za-z0-9]{40,50}/, 'ntn_ + 46 alnum'],
    ['secret_', /secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/, 'secret_ + 43 alnum', 'random'],
    ['figd_ figu_ figo_', /fig[duo]_[\w-]{36,64}/, 'figd_ + 40 word', 'random'],
    ['pat', /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}/, 'pat + 14 alnum + . + 64 hex'],
    ['pmak-', /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/, 'PMAK- + 24 hex + - + 34 hex'],
    ['cfpat-', /CFPAT-[\w-]{43}/, 'CFPAT- + 43 word'],
    [
      'sdk- api- mob-',
      /(?:sdk|api|mob)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/,
      'sdk- + 8 hex + - + 4 hex + -4 + 3 hex + - + 4 hex + - + 12 hex',
    ],
    ['sk.ey tk.ey', /[st]k\.eyJ[\w-]{40,200}\.[\w-]{20,30}/, 'sk.eyJ + 60 alnum + . + 22 alnum'],
    ['sl.', /sl\.(?:u\.)?[\w-]{100,512}/, 'sl. + 135 word', 'random'],
    ['pnu_ pnb_', /pn[ub]_[A-Za-z0-9]{36}/, 'pnu_ + 36 alnum', 'opaque'],
    ['rdme_', /rdme_[a-z0-9]{70}/, 'rdme_ + 70 lowernum'],
    ['tfp_', /tfp_[\w.-]{40,70}/, 'tfp_ + 59 word', 'random'],
    ['aio_', /aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])/, 'aio_ + 28 alnum', 'opaque'],
    ['fio-u-', /fio-u-[\w=-]{64}/, 'fio-u- + 64 word'],
    ['s-s4t2', /s-s4t2(?:ud|af)-[0-9a-f]{64}/, 's-s4t2ud- + 64 hex'],
    ['ico-', /ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])/, 'ico- + 32 alnum', 'opaque'],
    ['api-', /API-[A-Z0-9]{25,32}(?![A-Za-z0-9])/, 'API- + 26 uppernum', 'random'],
    ['sm_', /sm_(?:aat|sat|pat)_[A-Za-z0-9]{16,40}/, 'sm_pat_ + 16 alnum'],
    ['ngrok_ cr_', /(?:ngrok|cr)_[A-Za-z0-9]{27}_[A-Za-z0-9]{21}/, 'cr_ + 27 alnum + _ + 21 alnum'],
  ],
  SOCIAL_TOKEN: [
    ['eaa', /EAA[A-Za-z0-9]{80,400}/, 'EAAM + 180 alnum', 'opaque'],
    ['aaaaaaaaaaaaaaaaaaaaa', /A{20,22}[A-Za-z0-9%]{70,120}/, 'AAAAAAAAAAAAAAAAAAAAA + 86 alnum'],
    ['igqv igaa', /IG(?:QV|AA)[A-Za-z0-9_-]{80,300}/, 'IGQV + 150 alnum', 'random'],
  ],
  JWT: [
    [
      'eyj eya ewo',
      /e[yw][A-Za-z0-9][\w-]{8,512}\.e[yw][\w-]{8,8000}(?:\.[\w-]{8,1000})?/,
      'eyJ + 33 alnum + .eyJ + 60 alnum + . + 43 word',
    ],
    [
      'eyj',
      /eyJ[\w-]{12,1024}\.[\w-]{0,700}\.[\w-]{12,100}\.[\w-]{12,1000}\.[\w-]{12,100}/,
      'eyJ + 60 alnum + . + 200 word + . + 16 word + . + 300 word + . + 22 word',
    ],
  ],
}

/** Formats whose only fixed part is in the middle: label, keywords, the part before, the rest, a sketch. */
const formatsWithLead: readonly [label: string, keywords: string, lead: RegExp, rest: RegExp, example: string][] = [
  ['CHAT_TOKEN', ':aa', /(?<!\d)\d{8,10}/, /:AA[\w-]{32,34}(?![\w-])/, '10 digits + :AA + 33 word'],
  [
    'CHAT_TOKEN',
    '.g .x .y .z',
    /(?<![\w-])[MNO][A-Za-z0-9_-]{22,27}/,
    /\.[GXYZ][\w-]{5}\.[\w-]{27,38}/,
    'MTA + 21 digits + .G + 5 alnum + . + 38 word',
  ],
  ['CLOUD_CLIENT_SECRET', 'q~', /(?<![\w~.-])[\w~.-]{3}\d/, /Q~[\w~.-]{31,34}/, '3 alnum + 8Q~ + 34 alnum'],
  [
    'CLOUD_API_KEY',
    '.atlasv1.',
    /(?<![A-Za-z0-9])[A-Za-z0-9]{14}/,
    /\.atlasv1\.[\w-]{60,70}/,
    '14 alnum + .atlasv1. + 67 word',
  ],
  ['MAIL_API_KEY', '-us', /(?<![0-9a-zA-Z])[0-9a-f]{32}/, /-us\d{1,2}(?![0-9a-zA-Z])/, '32 hex + -us12'],
]

export const vendorRules: readonly Rule[] = [
  ...Object.entries(formats).flatMap(([label, rows]) =>
    rows.map(([keywords, format, example, check]) => ({
      label,
      keywords: keywords.split(' '),
      secret: format.source,
      check,
      example,
    })),
  ),
  ...formatsWithLead.map(([label, keywords, lead, rest, example]) => ({
    label,
    keywords: keywords.split(' '),
    lead: lead.source,
    secret: rest.source,
    isInsideWords: true,
    example,
  })),
]
