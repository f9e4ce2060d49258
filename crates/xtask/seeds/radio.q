Pr[<=20](<> sent > 3)
Pr[#<=30]([] sent < 9)
Pr[<=20](<> R.Hear) >= 0.5
Pr[<=20](<> sent > 2) >= Pr[<=20](<> sent > 4)
E[<=20; 50](max: load)
simulate [<=20; 2] {load, sent, S.x}
