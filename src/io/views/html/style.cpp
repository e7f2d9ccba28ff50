// Colours of series are Okabe and Ito's (jfly.uni-koeln.de/color), lighter shades of the same hues on dark ground;
// their vermilion is reserved for points. Font sizes are 12, 13, 15, 18, 22, 30 and 38 pixels.
#include "io/views/html/style.hpp"

namespace seqpoint::io::views::html {

const char* const kStyle = R"css(
:root{color-scheme:light dark;
--page:#fff;--ink:#16202a;--muted:#5c6873;--rule:#e4e8ec;--axis:#9aa5b0;--panel:#f6f8f9;
--bar:#b9c6d2;--pair:#33638c;--point:#d55e00;--focus:#16202a;
--alarm:#b3261e;--alarm-ground:#fceceb;--good:#1b6e3c;--doubt:#8a5a00;--doubt-ground:#fdf3dc;--dots:.32;
--c0:#0072b2;--c1:#009e73;--c2:#c98500;--c3:#b8578d;--c4:#3a9fdb;--c5:#6b7680}
@media (prefers-color-scheme:dark){:root{
--page:#12171c;--ink:#e7ebef;--muted:#9aa6b2;--rule:#28313a;--axis:#55616d;--panel:#1a2128;
--bar:#4a5b6b;--pair:#7fb2dc;--point:#ff8a3d;--focus:#fff;
--alarm:#ff8a80;--alarm-ground:#3a1a1a;--good:#6fd39a;--doubt:#f0c060;--doubt-ground:#33280f;--dots:.6;
--c0:#4fa8e0;--c1:#2fc39a;--c2:#f0b429;--c3:#e391bd;--c4:#8fd0f7;--c5:#aab4be}}
@media print{:root{color-scheme:light;
--page:#fff;--ink:#000;--muted:#444;--rule:#ddd;--axis:#888;--panel:#fff;
--bar:#b9c6d2;--pair:#33638c;--point:#d55e00;--alarm:#b3261e;--alarm-ground:#fff;--good:#1b6e3c;--doubt:#8a5a00;--doubt-ground:#fff;--dots:.32;
--c0:#0072b2;--c1:#009e73;--c2:#c98500;--c3:#b8578d;--c4:#3a9fdb;--c5:#6b7680}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;background:var(--page)}
body{margin:0;color:var(--ink);background:var(--page);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1040px;margin:0 auto;padding:48px 32px 64px}
p{margin:0}
.eyebrow{font-size:13px;color:var(--muted);letter-spacing:.02em}
h1{margin:2px 0 8px;font-size:30px;line-height:1.2;font-weight:650;letter-spacing:-.012em;overflow-wrap:anywhere;text-wrap:balance}
.lede{max-width:66ch;text-wrap:balance;font-size:18px;line-height:1.45;color:var(--muted)}
h2{margin:0 0 2px;font-size:18px;line-height:1.3;font-weight:650;overflow-wrap:anywhere}
.cards{list-style:none;margin:32px 0 0;padding:0;display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(230px,1fr))}
.cards li{background:var(--panel);border-top:3px solid var(--c);border-radius:2px 2px 6px 6px;padding:14px 18px 16px}
.name{display:flex;align-items:center;gap:7px;font-weight:600;overflow-wrap:anywhere}
.name svg{width:13px;height:13px;flex:none}
.name i{margin-left:auto;font:12px system-ui,sans-serif;color:var(--muted)}
.big{font-size:38px;line-height:1.15;font-weight:650;letter-spacing:-.02em;margin-top:6px}
.incomplete{font-size:13px;font-weight:600;color:var(--alarm)}
.small{font-size:13px;color:var(--muted)}
.cards dl{display:grid;grid-template-columns:auto 1fr;gap:2px 14px;margin:12px 0 0;font-size:13px}
.cards dt{color:var(--muted)}.cards dd{margin:0;text-align:right}.cards dd b{font-size:15px}
.facts{display:flex;flex-wrap:wrap;gap:14px 40px;margin:28px 0 0;padding:16px 0;border:solid var(--rule);border-width:1px 0}
.facts dt{font-size:13px;color:var(--muted)}.facts dd{margin:0;font-size:18px;font-weight:600}
.verdict{color:var(--doubt)}.verdict.FAIL{color:var(--alarm)}.verdict.PASS{color:var(--good)}
.warnings{margin:20px 0 0;padding:12px 18px;border-left:3px solid var(--doubt);background:var(--doubt-ground);font-size:13px;overflow-wrap:anywhere}
.warnings h2{font-size:15px}
.warnings ul{margin:0;padding:0 0 0 18px}
.next{margin-top:20px;overflow-wrap:anywhere}
.origin{display:grid;grid-template-columns:auto 1fr;gap:2px 14px;margin:12px 0 0;font-size:13px;overflow-wrap:anywhere}
.origin dt{color:var(--muted)}.origin dd{margin:0}
.gates{margin-top:20px;font-size:13px;overflow-wrap:anywhere}
.gates ul{list-style:none;margin:0;padding:0}
.gates li{display:grid;grid-template-columns:96px 1fr;margin-top:4px;padding:6px 18px;border-left:3px solid var(--axis);background:var(--panel);unicode-bidi:isolate}
.gates li p{grid-column:2}
.gates .failed{border-left-color:var(--alarm)}.alarm .failed{background:none}
.alarm{padding:14px 18px 16px;border:1px solid var(--alarm);border-radius:6px;background:var(--alarm-ground)}
.alarm h2,.failed b{color:var(--alarm)}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));align-items:start;gap:48px 56px;margin-top:48px}
figure{margin:0;min-width:0;break-inside:avoid}
figcaption p{max-width:100ch;font-size:13px;color:var(--muted);margin-bottom:14px}
.plot svg{display:block;width:100%;max-width:560px;height:auto;overflow:visible}
svg text{font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink);unicode-bidi:isolate}
svg .tick,svg .axis{fill:var(--muted)}svg .strong{font-weight:650}
.s0{--c:var(--c0)}.s1{--c:var(--c1)}.s2{--c:var(--c2)}.s3{--c:var(--c3)}.s4{--c:var(--c4)}.s5{--c:var(--c5)}
.grid{stroke:var(--rule)}.base{stroke:var(--axis)}
.bar{fill:var(--bar)}.pair{fill:var(--pair)}.cell{fill:var(--c)}
.bar:hover,.pair:hover{filter:brightness(.85)}
.stem{stroke:var(--point);stroke-opacity:.4}
.disc{fill:var(--point);stroke:var(--page);stroke-width:1.5}
.dot{stroke:var(--c);stroke-width:3.2;stroke-linecap:round;stroke-opacity:var(--dots)}.dot:hover{stroke-opacity:1}
.curve{fill:none;stroke:var(--c);stroke-width:1.75}.beyond{stroke-dasharray:4 4}
.marker{fill:var(--c);stroke:var(--page)}
.process{fill:var(--c);fill-opacity:var(--dots);stroke:var(--c)}.outlier{fill:none;stroke:var(--c)}
.range,.whisker{fill:none;stroke:var(--c);stroke-width:1.5}
.track{stroke:var(--c);stroke-width:2;stroke-opacity:.3}
.reference{stroke:var(--ink);stroke-dasharray:2 3}
.sizes{fill:none;stroke:var(--axis);stroke-width:1.5}.step{fill:var(--muted)}
.point .label{paint-order:stroke;stroke:var(--page);stroke-width:3px}
.tip{display:none;paint-order:stroke;stroke:var(--page);stroke-width:5px}
g[tabindex]:focus{outline:none}
g[tabindex]:focus-visible .tip{display:block}
g[tabindex]:focus-visible :is(.disc,.marker,.step){stroke:var(--focus);stroke-width:3}
details{margin-top:10px;font-size:13px}
summary{cursor:pointer;color:var(--muted);width:max-content;max-width:100%;border-radius:3px}
summary:focus-visible{outline:2px solid var(--focus);outline-offset:3px}
.scroll{overflow:auto;max-height:420px;font-size:13px;margin-top:8px;border-top:1px solid var(--rule)}
#forecast .scroll{max-height:none;border-top:0}
#forecast{grid-column:1/-1}
#table-largest td{white-space:nowrap}
table{border-collapse:collapse;margin-bottom:12px}
caption{text-align:left;color:var(--muted);padding:8px 0 4px}
th,td{padding:3px 18px 3px 0;text-align:left;vertical-align:top;unicode-bidi:isolate;max-width:44ch;overflow-wrap:anywhere}
th{font-weight:600;border-bottom:1px solid var(--axis);white-space:nowrap}
td{border-bottom:1px solid var(--rule)}
.n{text-align:right;white-space:nowrap}
footer{margin-top:64px;padding-top:16px;border-top:1px solid var(--rule);font-size:12px;line-height:1.6;color:var(--muted);overflow-wrap:anywhere}
code{font:12px ui-monospace,monospace}
@media (min-width:681px),print{.origin{grid-template-columns:auto 1fr auto 1fr}}
@media (max-width:680px){main{padding:28px 20px 40px}h1{font-size:22px}.lede{font-size:15px}.big{font-size:30px}
.figures{gap:36px;margin-top:36px}.facts{gap:12px 28px}}
@media print{main{max-width:none;padding:0}details{display:none}body{font-size:10pt}h1{font-size:22px}
.cards,.facts,.figures,footer{margin-top:14px}.facts{padding:8px 0}.figures{grid-template-columns:1fr 1fr;gap:14px 28px}
h2,.facts dd,.lede{font-size:13px}figcaption p{font-size:11px;margin-bottom:6px}.plot svg{max-height:46mm}#configurations~#sizes{display:none}footer{padding-top:6px}
.warnings{margin-top:12px;padding:6px 12px;font-size:11px}.facts{gap:6px 24px;margin-top:12px}.origin{margin-top:8px;font-size:11px}
.cards li{border:1px solid var(--rule);border-top:3px solid var(--c)}}
)css";

}  // namespace seqpoint::io::views::html
