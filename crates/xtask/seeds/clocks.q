E<> W0.Busy && W1.Wait
A[] not (W0.Busy && W1.Busy && total > 2)
E<> deadlock
A[] W0.Wait imply W0.x <= 5
W0.Wait --> W0.Idle
A<> global > 3
E[] total < 4
sup{W1.Busy}: total, W1.x
inf: total
E<> a == 3
A[] global - W0.x >= 0
bounds{W0.Wait}: watch[0]
